package duckdb

// ConvertValue is the conversion of the engine.
func ConvertValue(columnType string, value any) any {
	return (*engine)(nil).ConvertValue(columnType, value)
}
