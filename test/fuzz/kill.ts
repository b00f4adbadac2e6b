/**
 * Kills rollupd until it would show: `./dev fuzz kill --records 5000000 --kills 30 --commit-kills 10 --broker-kills 3 --seed 1`.
 * Ends with 1 and the first differences where an answer isn't the oracle's.
 */
import { parseArgs } from 'node:util'
import { type KillOptions, runKillTest } from '../support/kill-run.ts'

const DIFFERENCES_SHOWN = 20

function toCount(text: string | undefined, name: string, fallback: number): number {
  const count = Number(text ?? fallback)
  if (!Number.isSafeInteger(count) || count < 0) throw new Error(`--${name} takes a whole number`)
  return count
}

function toOptions(): KillOptions {
  const string = { type: 'string' } as const
  const options = { records: string, kills: string, 'commit-kills': string, 'broker-kills': string, seed: string }
  const { values } = parseArgs({ options })
  return {
    records: toCount(values.records, 'records', 1_000_000),
    kills: toCount(values.kills, 'kills', 10),
    commitKills: toCount(values['commit-kills'], 'commit-kills', 4),
    brokerKills: toCount(values['broker-kills'], 'broker-kills', 2),
    seed: toCount(values.seed, 'seed', 1),
    onProgress: (text) => process.stderr.write(process.stderr.isTTY ? `\r\u001b[K${text}` : `${text}\n`),
  }
}

async function main(): Promise<void> {
  const options = toOptions()
  const { kills, commitKills, brokerKills, unfitKills, groups, differences, seconds } = await runKillTest(options)
  if (process.stderr.isTTY) process.stderr.write('\r\u001b[K')
  for (const difference of differences.slice(0, DIFFERENCES_SHOWN)) console.log(difference)
  const points = Object.entries(commitKills).map(([point, count]) => `${count} at ${point}`)
  console.log(
    `${options.records} records, ${kills} kills (${points.join(', ')}; ${unfitKills} more without a commit or lag), ` +
      `broker killed ${brokerKills} times: ${groups} groups, ${differences.length} differences; ` +
      `${seconds.toFixed(0)} s, seed ${options.seed}`,
  )
  if (differences.length > 0) process.exitCode = 1
}

await main()
