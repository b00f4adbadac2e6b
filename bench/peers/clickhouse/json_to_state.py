"""
The limit of turning JSON into aggregated state: the same rollup in ClickHouse, embedded, from a local file of JSON lines. It has no Kafka,
no positions, no stored state, and its sums of doubles are not exact.

Usage: json_to_state.py FILE RECORDS coarse|fine THREADS RUNS. Prints a line for each run: events/s, and the process's CPU seconds.
"""

import resource
import sys
import time

import chdb

file, records, workload, threads, runs = sys.argv[1:]
path = ", path" if workload == "fine" else ""
SQL = f"""
SELECT toStartOfMinute(ts) AS minute, country{path}, count() AS views, sum(bytes) AS bytes_sum, avg(latency_ms) AS avg_latency,
       max(latency_ms) AS max_latency
FROM file('{file}', JSONEachRow,
          'ts DateTime64(3, ''UTC''), country LowCardinality(String), path String, latency_ms Float64, bytes Int64, ok Bool')
WHERE ok GROUP BY minute, country{path}
"""
SETTINGS = f"SETTINGS max_threads = {threads}, date_time_input_format = 'best_effort'"


def cpu_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


counted = chdb.query(f"SELECT sum(views) FROM ({SQL}) {SETTINGS}", "CSV").data().strip()
if not 0.9 * int(records) < int(counted) <= int(records):
    sys.exit(f"{counted} of {records} records were counted")
for run in range(int(runs)):
    started, cpu = time.monotonic(), cpu_seconds()
    chdb.query(f"{SQL} FORMAT Null {SETTINGS}")
    seconds = time.monotonic() - started
    print(f"clickhouse {workload} threads={threads} run={run + 1}: "
          f"{int(records) / seconds:.0f} events/s, cpu {cpu_seconds() - cpu:.2f} s", flush=True)
