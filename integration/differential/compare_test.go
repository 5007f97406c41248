package differential_test

import (
	"math"
	"testing"

	"github.com/qedkit/qed/integration/differential"
)

func TestEqualNumbers(t *testing.T) {
	for _, tt := range []struct {
		want, got any
		equal     bool
	}{
		{0.0, math.Copysign(0, -1), true}, {"0.5", "0.5000", true}, {int64(2), "2.0", true}, {"a", "a", true},
		{"0.5", "-0.5", false}, {1.5, 1.25, false}, {nil, 0.0, false}, {"a", "A", false}, {"0.5", "0.5 ", false},
	} {
		want, got := [][]any{{"x", tt.want}}, [][]any{{"x", tt.got}}
		if equal := differential.EqualNumbers(want, got); equal != tt.equal {
			t.Errorf("%v and %v: %v", tt.want, tt.got, equal)
		}
	}
	if differential.EqualNumbers([][]any{{1}}, [][]any{{1}, {1}}) {
		t.Error("rows are missing")
	}
}
