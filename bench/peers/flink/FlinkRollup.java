import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Metric;
import org.apache.flink.metrics.MetricConfig;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.reporter.MetricReporter;
import org.apache.flink.metrics.reporter.MetricReporterFactory;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;

/**
 * The peer's side of the throughput figures in Flink SQL: the same rollup, state in RocksDB, a checkpoint each second exactly
 * once, and mini-batches, with which Flink is two to three times faster than without.
 *
 * Usage: FlinkRollup BROKER TOPIC RECORDS coarse|fine PARALLELISM RUNS. Does the same work RUNS times in this process, each
 * from the beginning of the topic, and prints a line for each: only the last is of a warm JVM. Seconds and CPU seconds are
 * from the first record to the last that the source has read; that the last checkpoint follows is in Flink's favour.
 */
public class FlinkRollup {
  private static final OperatingSystemMXBean SYSTEM =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
  private static final int POLL_MS = 5;

  /** Flink gives a job's counters to reporters only; this one, named in META-INF/services, keeps those of the source. */
  public static final class SourceCounters implements MetricReporter, MetricReporterFactory {
    static final Set<Counter> COUNTERS = ConcurrentHashMap.newKeySet();

    @Override public MetricReporter createMetricReporter(Properties properties) { return this; }
    @Override public void open(MetricConfig config) {}
    @Override public void close() {}
    @Override public void notifyOfRemovedMetric(Metric metric, String name, MetricGroup group) {}

    @Override public void notifyOfAddedMetric(Metric metric, String name, MetricGroup group) {
      String operator = group.getAllVariables().get("<operator_name>");
      if (metric instanceof Counter && name.equals("numRecordsIn") && operator != null
          && operator.startsWith("Source:")) COUNTERS.add((Counter) metric);
    }

    static long sum() { return COUNTERS.stream().mapToLong(Counter::getCount).sum(); }
  }

  public static void main(String[] args) throws Exception {
    long records = Long.parseLong(args[2]);
    boolean fine = args[3].equals("fine");
    int parallelism = Integer.parseInt(args[4]), runs = Integer.parseInt(args[5]);
    Path checkpoints = Files.createTempDirectory("flink-checkpoints");
    for (int run = 1; run <= runs; run++) {
      StreamTableEnvironment tables = createTables(args[0], args[1], parallelism, checkpoints);
      measure(tables, fine, records, "flink " + args[3] + " parallelism=" + parallelism + " run=" + run);
    }
    // local clusters leave threads behind
    System.exit(0);
  }

  private static StreamTableEnvironment createTables(String broker, String topic, int parallelism, Path checkpoints) {
    Configuration c = new Configuration();
    c.setString("state.backend.type", "rocksdb");
    c.setString("execution.checkpointing.incremental", "true");
    c.setString("execution.checkpointing.interval", "1s");
    c.setString("execution.checkpointing.mode", "EXACTLY_ONCE");
    c.setString("execution.checkpointing.dir", checkpoints.toUri().toString());
    c.setString("taskmanager.memory.managed.size", "512m");
    c.setString("taskmanager.numberOfTaskSlots", "2");
    c.setString("parallelism.default", String.valueOf(parallelism));
    c.setString("pipeline.object-reuse", "true");
    c.setString("rest.port", "0");
    c.setString("io.tmp.dirs", checkpoints.toString());
    c.setString("metrics.reporters", "counters");
    c.setString("metrics.reporter.counters.factory.class", SourceCounters.class.getName());
    StreamExecutionEnvironment environment = StreamExecutionEnvironment.createLocalEnvironment(parallelism, c);
    StreamTableEnvironment tables =
        StreamTableEnvironment.create(environment, EnvironmentSettings.newInstance().inStreamingMode().build());
    tables.getConfig().set("table.local-time-zone", "UTC");
    tables.getConfig().set("table.exec.mini-batch.enabled", "true");
    tables.getConfig().set("table.exec.mini-batch.allow-latency", "1 s");
    tables.getConfig().set("table.exec.mini-batch.size", "50000");
    tables.executeSql("CREATE TABLE events (ts TIMESTAMP_LTZ(3), country STRING, path STRING, latency_ms DOUBLE,"
        + " `bytes` BIGINT, ok BOOLEAN) WITH ('connector' = 'kafka', 'topic' = '" + topic + "',"
        + " 'properties.bootstrap.servers' = '" + broker + "', 'properties.group.id' = 'peer',"
        + " 'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset',"
        + " 'format' = 'json', 'json.timestamp-format.standard' = 'ISO-8601')");
    return tables;
  }

  private static void measure(StreamTableEnvironment tables, boolean fine, long records, String title)
      throws Exception {
    String path = fine ? ", path" : "";
    tables.executeSql("CREATE TABLE page_rollup (minute_start TIMESTAMP_LTZ(3), country STRING" + (fine ? ", path STRING" : "")
        + ", view_count BIGINT, total_bytes BIGINT, avg_latency DOUBLE, max_latency DOUBLE) WITH ('connector' = 'blackhole')");
    String insert = "INSERT INTO page_rollup SELECT FLOOR(ts TO MINUTE), country" + path
        + ", COUNT(*), SUM(`bytes`), AVG(latency_ms), MAX(latency_ms) FROM events WHERE ok"
        + " GROUP BY FLOOR(ts TO MINUTE), country" + path;
    SourceCounters.COUNTERS.clear();
    // of the first and the last record: time and CPU time
    long[] nanos = new long[2], cpu = new long[2];
    Thread watch = new Thread(() -> watch(records, nanos, cpu));
    watch.setDaemon(true);
    watch.start();
    tables.executeSql(insert).await();
    // the last record has been counted when its job ends
    watch.join(1000);
    if (nanos[1] == 0) throw new IllegalStateException("the source read " + SourceCounters.sum() + " records of " + records);
    double seconds = (nanos[1] - nanos[0]) / 1e9;
    System.out.printf(Locale.ROOT, "%s: %.0f events/s, cpu %.2f s%n",
        title, records / seconds, (cpu[1] - cpu[0]) / 1e9);
  }

  private static void watch(long records, long[] nanos, long[] cpu) {
    for (int mark = 0; mark < 2;) {
      if (SourceCounters.sum() >= (mark == 0 ? 1 : records)) {
        nanos[mark] = System.nanoTime();
        cpu[mark] = SYSTEM.getProcessCpuTime();
        mark++;
        continue;
      }
      try {
        Thread.sleep(POLL_MS);
      } catch (InterruptedException e) {
        return;
      }
    }
  }
}
