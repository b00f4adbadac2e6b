/** Owns the question "which brokers does this one know": a Metadata request by hand, so that asking needs no client. */
import { connect } from 'node:net'
import { once } from 'node:events'

/** An answer takes milliseconds; a broker that is starting may accept and stay silent. */
const PROBE_TIMEOUT_MS = 2_000
const METADATA_API_KEY = 3
const METADATA_VERSION = 1
const RESPONSE_HEADER_BYTES = 8

/**
 * Metadata v1 (https://kafka.apache.org/protocol#The_Messages_Metadata):
 * size int32, api_key int16, api_version int16, correlation_id int32, client_id nullable_string, topics array (empty: none)
 */
function encodeMetadataRequest(): Buffer {
  const request = Buffer.alloc(18)
  request.writeInt32BE(14, 0)
  request.writeInt16BE(METADATA_API_KEY, 4)
  request.writeInt16BE(METADATA_VERSION, 6)
  request.writeInt32BE(1, 8)
  request.writeInt16BE(-1, 12)
  request.writeInt32BE(0, 14)
  return request
}

/** Node ids of the live brokers that the broker at this port of 127.0.0.1 knows; undefined while it gives no answer. */
export async function listBrokerIds(port: number): Promise<number[] | undefined> {
  const socket = connect(port, '127.0.0.1')
  try {
    const signal = AbortSignal.timeout(PROBE_TIMEOUT_MS)
    await once(socket, 'connect', { signal })
    socket.write(encodeMetadataRequest())
    let received = Buffer.alloc(0)
    while (received.length < 4 || received.length < 4 + received.readInt32BE(0)) {
      const [chunk] = (await once(socket, 'data', { signal })) as [Buffer]
      received = Buffer.concat([received, chunk])
    }
    return decodeBrokerIds(received)
  } catch {
    return undefined
  } finally {
    socket.destroy()
  }
}

/** size int32, correlation_id int32, brokers array of (node_id int32, host string, port int32, rack nullable_string), ... */
function decodeBrokerIds(response: Buffer): number[] {
  const ids: number[] = []
  let at = RESPONSE_HEADER_BYTES
  const count = response.readInt32BE(at)
  at += 4
  for (let broker = 0; broker < count; broker++) {
    ids.push(response.readInt32BE(at))
    at += 4
    at += 2 + response.readInt16BE(at) + 4
    at += 2 + Math.max(response.readInt16BE(at), 0)
  }
  return ids
}
