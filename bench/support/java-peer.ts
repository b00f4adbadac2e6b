/** Owns the peers that run on Java: a folder of bench/peers with a pom.xml and one program becomes a class path, by Maven and javac. */
import { cpSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { PEERS } from './checkout.ts'
import { buildOnce, mustRun } from './peer-build.ts'
import { type PeerRun, runPeer } from './peer-run.ts'

export interface JavaPeer {
  /** Folder of bench/peers. */
  readonly name: string
  /** NAME.java in it. */
  readonly mainClass: string
  readonly javaOptions?: readonly string[]
}

/** A folder with the jars, the compiled class and what it finds beside itself. Caller keeps it for runJavaPeer. */
export async function buildJavaPeer({ name, mainClass }: JavaPeer): Promise<string> {
  const [pom, source] = [join(PEERS, name, 'pom.xml'), join(PEERS, name, `${mainClass}.java`)]
  return await buildOnce(name, [pom, source], async (folder) => {
    const target = ['dependency:copy-dependencies', `-DoutputDirectory=${folder}/lib`, '-DincludeScope=runtime']
    await mustRun('mvn', ['-q', '-B', '-f', pom, ...target])
    await mustRun('javac', ['-cp', `${folder}/lib/*`, '-d', folder, source])
    const services = join(PEERS, name, 'META-INF')
    if (existsSync(services)) cpSync(services, join(folder, 'META-INF'), { recursive: true })
  })
}

/** Errors: where it ends without a result. */
export async function runJavaPeer(folder: string, peer: JavaPeer, args: readonly string[]): Promise<PeerRun> {
  const { name, mainClass, javaOptions = [] } = peer
  return await runPeer(name, 'java', [...javaOptions, '-cp', `${folder}/lib/*:${folder}`, mainClass, ...args])
}
