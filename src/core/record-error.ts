/** Owns the codes of what can be wrong with a record or a cell; they stand in dead letters and in the errors of an answer. */
export const RECORD_ERRORS = [
  // the record as a whole
  'invalid_json',
  'not_an_object',
  'empty_value',
  'too_deep',
  'too_large',
  // a value in it
  'invalid_text',
  'number_out_of_range',
  'integer_out_of_range',
  'division_by_zero',
  'invalid_cast',
  'timestamp_out_of_range',
  'interval_out_of_range',
  'wrong_kind',
  'invalid_argument',
  'too_many_rows',
  // what shows at read time only
  'mixed_kinds',
  'sum_out_of_range',
  'too_many_values',
  'mixed_grouping_sets',
] as const
export type RecordErrorCode = (typeof RECORD_ERRORS)[number]
