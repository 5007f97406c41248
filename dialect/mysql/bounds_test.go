package mysql

import (
	"maps"
	"slices"
	"testing"
)

// Every function that a statement may call has a rule for the size of its result.
func TestEveryFunctionIsBounded(t *testing.T) {
	functions := maps.Clone(safeFunctions)
	for name := range someServers {
		functions[name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(functions)) {
		if _, ok := bounds.Functions[name]; !ok {
			t.Errorf("%s has no rule", name)
		}
	}
	for name := range bounds.Functions {
		if !functions[name] {
			t.Errorf("%s has a rule, and no statement may call it", name)
		}
	}
}
