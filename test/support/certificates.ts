/**
 * Owns the certificates of tests about TLS: an authority, and what it signs, made anew for each run, so that no key lies in
 * the repository and no tool is needed. Source: RFC 5280 (X.509), ITU-T X.690 (DER).
 */
import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

export interface Certificate {
  /** PEM. */
  readonly cert: string
  /** PEM, PKCS #8. */
  readonly key: string
}

export interface Authority extends Certificate {
  /** For servers on 127.0.0.1 and localhost, and for clients; the name is the subject's common name. */
  issue(name: string): Certificate
}

const DAY_MS = 24 * 60 * 60 * 1_000

const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bits: 0x03,
  octets: 0x04,
  oid: 0x06,
  text: 0x0c,
  utcTime: 0x17,
  sequence: 0x30,
  set: 0x31,
  version: 0xa0,
  extensions: 0xa3,
  dnsName: 0x82,
  ipAddress: 0x87,
} as const

/** Object identifiers as their DER bytes. */
const OID = {
  /** 1.2.840.10045.4.3.2 */
  ecdsaWithSha256: '2a8648ce3d040302',
  /** 2.5.4.3 */
  commonName: '550403',
  /** 2.5.29.17 */
  subjectAltName: '551d11',
  /** 2.5.29.19 */
  basicConstraints: '551d13',
} as const

function der(tag: number, ...parts: Uint8Array[]): Buffer {
  const body = Buffer.concat(parts)
  const { length } = body
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), body])
}

const oid = (hex: string) => der(TAG.oid, Buffer.from(hex, 'hex'))
const nameOf = (name: string) =>
  der(TAG.sequence, der(TAG.set, der(TAG.sequence, oid(OID.commonName), der(TAG.text, Buffer.from(name)))))
const utcTime = (timeMs: number) =>
  der(TAG.utcTime, Buffer.from(`${new Date(timeMs).toISOString().replaceAll(/[-:T]/g, '').slice(2, 14)}Z`))
const extension = (id: string, value: Buffer) => der(TAG.sequence, oid(id), der(TAG.octets, value))

function makeCertificate(subject: string, publicKey: KeyObject, issuer: string, issuerKey: KeyObject): string {
  const algorithm = der(TAG.sequence, oid(OID.ecdsaWithSha256))
  const isAuthority = subject === issuer
  const extensions = isAuthority
    ? extension(OID.basicConstraints, der(TAG.sequence, der(TAG.boolean, Buffer.from([0xff]))))
    : extension(
        OID.subjectAltName,
        der(TAG.sequence, der(TAG.dnsName, Buffer.from('localhost')), der(TAG.ipAddress, Buffer.from([127, 0, 0, 1]))),
      )
  const content = der(
    TAG.sequence,
    der(TAG.version, der(TAG.integer, Buffer.from([2]))),
    // The first byte keeps it positive.
    der(TAG.integer, Buffer.from([1]), randomBytes(15)),
    algorithm,
    nameOf(issuer),
    der(TAG.sequence, utcTime(Date.now() - DAY_MS), utcTime(Date.now() + DAY_MS)),
    nameOf(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(TAG.extensions, der(TAG.sequence, extensions)),
  )
  const signature = sign('sha256', content, issuerKey)
  const whole = der(TAG.sequence, content, algorithm, der(TAG.bits, Buffer.from([0]), signature))
  const lines = whole.toString('base64').match(/.{1,64}/g) ?? []
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
}

/** A new authority that nobody trusts yet. */
export function createAuthority(name = 'Test Authority'): Authority {
  const own = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const toPem = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' }).toString()
  return {
    cert: makeCertificate(name, own.publicKey, name, own.privateKey),
    key: toPem(own.privateKey),
    issue(subject) {
      const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      return { cert: makeCertificate(subject, publicKey, name, own.privateKey), key: toPem(privateKey) }
    },
  }
}
