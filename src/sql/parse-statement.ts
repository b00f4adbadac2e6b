export type { FuncCall, Node, SelectStmt, SubLink } from 'libpg-query'
