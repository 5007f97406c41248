//go:build pgquery_cgo || tinygo

package postgres

// dropInstances does nothing, because the grammar in C has no instances.
func dropInstances() {}
