/** Entry point of the thread that watches the statements of a query process. */
import { workerData } from 'node:worker_threads'
import { type QueryWatch, watchQueries } from '../query/query-watch.ts'

watchQueries(workerData as QueryWatch)
