/** Owns where the checkout is, for programs that run as a source or as a bundle. */
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'

/** The folder that holds package.json. */
export const CHECKOUT = findCheckout(import.meta.dirname)
/** A folder for each peer. */
export const PEERS = join(CHECKOUT, 'bench', 'peers')
/** What is fetched once for all checkouts. */
export const CACHE = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'rollupd')

function findCheckout(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : findCheckout(dirname(folder))
}
