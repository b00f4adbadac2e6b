/**
 * Owns the way from a statement's text to PostgreSQL's syntax tree: the only importer of libpg-query. What the grammar lets pass
 * without a word (names cut at 63 bytes, text behind a NUL) is refused here; `:name` becomes `$n`.
 */
import { setFlagsFromString } from 'node:v8'
import {
  hasSqlDetails,
  loadModule,
  parseSync,
  scanSync,
  type Node,
  type ParseResult,
  type ScanToken,
  type SelectStmt,
} from 'libpg-query'
import { RollupdError } from '../core/errors.ts'
import { NAME_BYTES_MAX } from './identifier.ts'
import { findNamedParameters } from './named-parameters.ts'
import { StatementText } from './statement-text.ts'
import { tooDeepToken } from './statement-nesting.ts'
import { syntaxHint } from './syntax-hint.ts'
import type { Token } from './token.ts'

export type {
  A_ArrayExpr,
  A_Const,
  A_Expr,
  A_Indirection,
  BoolExpr,
  BooleanTest,
  CaseExpr,
  CoalesceExpr,
  MinMaxExpr,
  ColumnRef,
  CommonTableExpr,
  FuncCall,
  GroupingFunc,
  GroupingSet,
  JoinExpr,
  Node,
  NullTest,
  RowExpr,
  RangeFunction,
  RangeSubselect,
  RangeVar,
  ResTarget,
  SelectStmt,
  SortBy,
  SQLValueFunction,
  SubLink,
  TypeCast,
  TypeName,
  WindowDef,
} from 'libpg-query'

/** Default of the longest statement. Parsing and analysing that many bytes takes some tens of milliseconds. */
export const STATEMENT_BYTES_MAX = 65_536

const RESERVED_KEYWORDS = new Set(['RESERVED_KEYWORD', 'TYPE_FUNC_NAME_KEYWORD'])
const LITERAL_TOKENS = new Set(['SCONST', 'ICONST', 'FCONST', 'BCONST', 'XCONST', 'USCONST', 'PARAM'])
// oxlint-disable-next-line no-control-regex -- these are what is looked for
const CONTROL_CHARACTER = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/

export interface ParseOptions {
  /** Bytes of UTF-8; default STATEMENT_BYTES_MAX. Longer: statement_too_long. */
  readonly statementBytesMax?: number
  /** Whether EXPLAIN may stand before the SELECT. Default: no. */
  readonly takesExplain?: boolean
}

export interface Statement {
  /** As the user wrote it. */
  readonly sql: string
  readonly select: SelectStmt
  /** EXPLAIN, or EXPLAIN ANALYZE, stands before it. */
  readonly explain: 'plan' | 'analyze' | undefined
  /** parameterNames[n - 1] is the `:name` that became $n; empty where the statement has none. */
  readonly parameterNames: readonly string[]
  /** 1-based character of a node's location; 0 where the grammar knows none. */
  readonly positionOf: (location: number | undefined) => number
  /** 1-based character of the first such keyword outside parentheses; 0 where there is none. */
  readonly positionOfWord: (word: string) => number
}

/** Loads the parser's WASM. Once, before the first parseStatement. */
export async function loadParser(): Promise<void> {
  // V8 would soon compile the grammar's one huge function with its optimising compiler, which takes 600 MB for a second (seen on
  // Node 24); the baseline compiler's code parses a statement in under a millisecond all the same
  for (const flag of ['--no-wasm-tier-up', '--no-wasm-dynamic-tiering']) setFlagsFromString(flag)
  await loadModule()
}

/**
 * Parses one SELECT statement.
 * Errors: sql_syntax, sql_unsupported (no SELECT, several statements), sql_invalid (a name too long), statement_too_long.
 */
export function parseStatement(sql: string, options: ParseOptions = {}): Statement {
  checkText(sql, options.statementBytesMax ?? STATEMENT_BYTES_MAX)
  const written = scan(sql)
  for (const token of written ?? []) checkNameLength(token, sql)
  const parameters = findNamedParameters(written ?? [])
  checkNesting(written ?? [], sql)
  checkParameters(written ?? [], parameters.replacements.length > 0, sql)
  const text = new StatementText(sql, parameters.replacements)
  const result = parse(text)
  if (written === undefined) throw new RollupdError('sql_syntax', 'the statement could not be split into words')
  return {
    sql,
    ...onlySelect(result, text, options.takesExplain === true),
    parameterNames: parameters.names,
    positionOf: (location) => text.positionOfByte(location ?? -1),
    positionOfWord: (word) => positionOfWord(word, written, text),
  }
}

function positionOfWord(word: string, tokens: readonly Token[], text: StatementText): number {
  let depth = 0
  for (const token of tokens) {
    if (token.text === '(') depth += 1
    if (token.text === ')') depth -= 1
    if (depth === 0 && token.kind === 'keyword' && token.text.toLowerCase() === word)
      return text.positionOfWritten(token.start)
  }
  return 0
}

function checkText(sql: string, bytesMax: number): void {
  const bytes = Buffer.byteLength(sql, 'utf8')
  if (bytes > bytesMax) {
    throw new RollupdError('statement_too_long', `the statement has ${bytes} bytes, at most ${bytesMax} are allowed`)
  }
  if (sql.trim() === '') {
    throw new RollupdError('sql_syntax', 'the statement is empty', { position: 1, hint: 'Send one SELECT statement.' })
  }
  if (!sql.isWellFormed()) {
    throw new RollupdError('sql_syntax', 'the statement is not valid Unicode: it has a lone surrogate')
  }
  const control = CONTROL_CHARACTER.exec(sql)
  if (control !== null) {
    const code = sql.charCodeAt(control.index)
    throw new RollupdError('sql_syntax', `the statement has the control character U+${hex(code)}`, {
      position: characterOf(sql, control.index),
      hint: code === 0 ? 'Text has no NUL.' : `Inside a text write it as E'\\x${hex(code).slice(-2)}'.`,
    })
  }
}

function hex(code: number): string {
  return code.toString(16).toUpperCase().padStart(4, '0')
}

/** 1-based character of an index of UTF-16 units. */
function characterOf(sql: string, index: number): number {
  return Array.from(sql.slice(0, index)).length + 1
}

/** The tokens, comments left out; undefined where the scanner finds an error (the parser then says which). */
function scan(sql: string): Token[] | undefined {
  let tokens: readonly ScanToken[]
  try {
    tokens = scanSync(sql).tokens
  } catch {
    return undefined
  }
  return tokens.filter(({ tokenName }) => !tokenName.endsWith('COMMENT')).map(toToken)
}

function toToken(token: ScanToken): Token {
  const { start, end, text, tokenName, keywordName } = token
  return {
    start,
    end,
    text,
    kind: kindOf(token),
    reserved: RESERVED_KEYWORDS.has(keywordName) && tokenName !== 'IDENT',
  }
}

function kindOf({ text, tokenName, keywordName }: ScanToken): Token['kind'] {
  if (tokenName === 'IDENT' || /^u&"/i.test(text)) return 'identifier'
  if (keywordName !== 'NO_KEYWORD') return 'keyword'
  return LITERAL_TOKENS.has(tokenName) || /^u&'/i.test(text) ? 'literal' : 'other'
}

function checkNameLength(token: Token, sql: string): void {
  if (token.kind !== 'identifier') return
  const name = token.text.startsWith('"') ? token.text.slice(1, -1).replaceAll('""', '"') : token.text
  const bytes = Buffer.byteLength(name, 'utf8')
  if (bytes <= NAME_BYTES_MAX) return
  throw new RollupdError(
    'sql_invalid',
    `the name "${name}" has ${bytes} bytes, at most ${NAME_BYTES_MAX} are allowed`,
    {
      position: new StatementText(sql, []).positionOfWritten(token.start),
      hint: `Read such a field with _input->'${name.replaceAll("'", "''")}'.`,
    },
  )
}

function checkNesting(tokens: readonly Token[], sql: string): void {
  const token = tooDeepToken(tokens)
  if (token === undefined) return
  throw new RollupdError('sql_invalid', 'the statement is nested too deeply', {
    position: new StatementText(sql, []).positionOfWritten(token.start),
    hint: 'Use fewer operators in a row and fewer parentheses inside each other.',
  })
}

function checkParameters(tokens: readonly Token[], hasNames: boolean, sql: string): void {
  const numbered = hasNames
    ? tokens.find(({ text, kind }) => kind === 'literal' && text.startsWith('$') && /^\$\d/.test(text))
    : undefined
  if (numbered === undefined) return
  throw new RollupdError('sql_invalid', `the parameter ${numbered.text} stands beside named parameters`, {
    position: new StatementText(sql, []).positionOfWritten(numbered.start),
    hint: 'Use either $1, $2, ... or :name in one statement.',
  })
}

function parse(text: StatementText): ParseResult {
  try {
    return parseSync(text.parsed)
  } catch (error) {
    throw toSyntaxError(error, text)
  }
}

function toSyntaxError(error: unknown, text: StatementText): RollupdError {
  if (!hasSqlDetails(error) || error.sqlDetails === undefined) throw error
  const { message, sqlDetails: details } = error
  const before = Array.from(text.parsed).slice(0, details.cursorPosition).join('')
  return new RollupdError('sql_syntax', message, {
    position: text.positionOfCharacter(details.cursorPosition),
    hint: syntaxHint(scan(text.parsed) ?? [], Buffer.byteLength(before, 'utf8')),
    cause: error,
  })
}

function onlySelect(
  result: ParseResult,
  text: StatementText,
  takesExplain: boolean,
): Pick<Statement, 'select' | 'explain'> {
  const [first, second] = result.stmts ?? []
  if (first?.stmt === undefined) {
    throw new RollupdError('sql_syntax', 'the statement is empty', { position: 1, hint: 'Send one SELECT statement.' })
  }
  if (second !== undefined) {
    throw new RollupdError('sql_unsupported', 'there is more than one statement', {
      position: text.positionOfByte(startOf(text.parsed, second.stmt_location ?? 0)),
      hint: 'Send one SELECT statement; a semicolon may only end it.',
    })
  }
  const node: Node = first.stmt
  if ('SelectStmt' in node) return { select: node.SelectStmt, explain: undefined }
  const explained = takesExplain && 'ExplainStmt' in node ? node.ExplainStmt : undefined
  if (explained?.query !== undefined && 'SelectStmt' in explained.query)
    return { select: explained.query.SelectStmt, explain: explainForm(explained.options ?? [], text) }
  const found = statementName(explained?.query ?? node)
  throw new RollupdError('sql_unsupported', `only SELECT is allowed, found ${found}`, {
    position: text.positionOfByte(startOf(text.parsed, first.stmt_location ?? 0)),
    hint: 'Send one SELECT statement; statements only read.',
  })
}

/** Errors: sql_unsupported for options other than ANALYZE. */
function explainForm(options: readonly Node[], text: StatementText): 'plan' | 'analyze' {
  for (const option of options) {
    if (!('DefElem' in option) || (option.DefElem.defname === 'analyze' && option.DefElem.arg === undefined)) continue
    throw new RollupdError('sql_unsupported', `the option ${option.DefElem.defname} of EXPLAIN is not supported`, {
      position: text.positionOfByte(option.DefElem.location ?? -1),
      hint: 'Write EXPLAIN SELECT ... or EXPLAIN ANALYZE SELECT ...',
    })
  }
  return options.length === 0 ? 'plan' : 'analyze'
}

/** The first byte that is no white space. */
function startOf(parsed: string, location: number): number {
  const bytes = Buffer.from(parsed, 'utf8')
  let start = location
  while (start < bytes.length && (bytes[start] as number) <= 0x20) start += 1
  return start
}

/** InsertStmt -> INSERT, VariableSetStmt -> VARIABLE SET */
function statementName(node: Node): string {
  const kind = Object.keys(node)[0] ?? 'nothing'
  return kind
    .replace(/Stmt$/, '')
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toUpperCase()
}
