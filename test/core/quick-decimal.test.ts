/** The quick reading of decimals gives what the general one gives, or leaves the text to it. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { normalizeDecimal, parseDecimal } from '../../src/core/decimal.ts'
import { readQuickDecimal } from '../../src/core/quick-decimal.ts'
import { Registers, TAG } from '../../src/core/registers.ts'
import { readRegister } from '../aggregates/fold-values.ts'

/** The register's value behind other digits and before such; undefined: another way must be taken. */
function quick(text: string): unknown {
  const r = new Registers(1)
  const bytes = Buffer.from(`7${text}7`, 'latin1')
  return readQuickDecimal(bytes, 1, bytes.length - 1, r, 0) ? [r.tag[0], readRegister(r, 0)] : undefined
}

function general(text: string): unknown {
  const r = new Registers(1)
  r.setDecimal(0, normalizeDecimal(parseDecimal(text)!))
  return [r.tag[0], readRegister(r, 0)]
}

test('as the general reader, wherever it reads', () => {
  const digits = fc.string({ unit: fc.constantFrom('0', '0', '1', '5', '9'), maxLength: 9 })
  const text = fc
    .tuple(fc.constantFrom('', '-'), digits, fc.constantFrom('', '.'), digits)
    .map((parts) => parts.join(''))
    .filter((written) => /\d/.test(written))
  fc.assert(
    fc.property(text, (written) => {
      const isShort = written.replaceAll(/[-.]/g, '').length <= 15
      expect(quick(written)).toEqual(isShort ? general(written) : undefined)
    }),
    { numRuns: 2000 },
  )
})

test.each(['', '-', '.', '-.', '1e3', '+1', ' 1', '1 ', '1.2.3', '--1', '1_0', '1234567890123456', '0x1'])(
  '"%s" is left',
  (text) => expect(quick(text)).toBeUndefined(),
)

test('a negative zero is 0', () => {
  const r = new Registers(1)
  expect(readQuickDecimal(Buffer.from('-0.00'), 0, 5, r, 0)).toBe(true)
  expect(r.tag[0]).toBe(TAG.INTEGER)
  expect(Object.is(r.num[0], 0)).toBe(true)
})
