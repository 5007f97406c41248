package resolve_test

import "strconv"

func formatScore(f float64) string { return strconv.FormatFloat(f, 'f', 2, 64) }
