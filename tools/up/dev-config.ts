/** Owns dev.yml: what the profiles of ./dev up are, checked. */
import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { CommandError } from '../command-error.ts'

export const PART_NAMES = ['kafka', 'rollupd', 'generator'] as const
export type PartName = (typeof PART_NAMES)[number]

export interface DevConfig {
  readonly profiles: ReadonlyMap<string, readonly PartName[]>
  readonly kafka: { readonly port: number }
  readonly rollupd: { readonly port: number }
  readonly generator: { readonly topic: string; readonly partitions: number; readonly recordsPerSecond: number }
}

const PORT_MAX = 65_535
const PARTITIONS_MAX = 1_000
const RATE_MAX = 1_000_000

/** Reads and checks the file. Errors: CommandError that names the line's key. */
export function readDevConfig(path: string): DevConfig {
  let parsed: unknown
  try {
    parsed = parse(readFileSync(path, 'utf8'))
  } catch (error) {
    throw new CommandError(`can't read ${path}: ${(error as Error).message.split('\n')[0]}`)
  }
  const file = toSection(parsed, path)
  const unknown = Object.keys(file).find((key) => key !== 'profiles' && !isPartName(key))
  if (unknown !== undefined) throw new CommandError(`${path}: "${unknown}" is neither "profiles" nor a part`)
  const generator = toSection(file['generator'] ?? {}, 'generator')
  const { topic = 'page_views' } = generator
  if (typeof topic !== 'string') throw new CommandError(`dev.yml: "topic" is ${JSON.stringify(topic)}, not a name`)
  return {
    profiles: toProfiles(toSection(file['profiles'], 'profiles')),
    kafka: { port: toNumber(toSection(file['kafka'] ?? {}, 'kafka'), 'port', 0, 0, PORT_MAX) },
    rollupd: { port: toNumber(toSection(file['rollupd'] ?? {}, 'rollupd'), 'port', 0, 0, PORT_MAX) },
    generator: {
      topic,
      partitions: toNumber(generator, 'partitions', 1, 1, PARTITIONS_MAX),
      recordsPerSecond: toNumber(generator, 'records_per_second', 1000, 1, RATE_MAX),
    },
  }
}

function isPartName(name: unknown): name is PartName {
  return PART_NAMES.some((part) => part === name)
}

function toSection(value: unknown, name: string): Record<string, unknown> {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    throw new CommandError(`dev.yml: "${name}" is not a mapping of keys to values`)
  }
  return value as Record<string, unknown>
}

function toNumber(section: Record<string, unknown>, key: string, standard: number, min: number, max: number): number {
  const value = section[key] ?? standard
  if (typeof value !== 'number' || !Number.isInteger(value) || value < min || value > max) {
    throw new CommandError(`dev.yml: "${key}" is ${JSON.stringify(value)}, not a whole number from ${min} to ${max}`)
  }
  return value
}

function toProfiles(section: Record<string, unknown>): Map<string, readonly PartName[]> {
  const profiles = new Map<string, readonly PartName[]>()
  for (const [name, parts] of Object.entries(section)) {
    if (!Array.isArray(parts) || parts.length === 0)
      throw new CommandError(`dev.yml: profile "${name}" is not a list of parts`)
    const strange = (parts as unknown[]).find((part) => !isPartName(part))
    if (strange !== undefined) {
      throw new CommandError(
        `dev.yml: profile "${name}" has the part ${JSON.stringify(strange)}`,
        `Parts are ${PART_NAMES.join(', ')}.`,
      )
    }
    if (new Set(parts).size < parts.length) throw new CommandError(`dev.yml: profile "${name}" names a part twice`)
    profiles.set(name, parts as PartName[])
  }
  return profiles
}
