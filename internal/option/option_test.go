package option_test

import (
	"testing"

	"github.com/qedkit/qed/internal/option"
)

func TestDefault(t *testing.T) {
	for _, tt := range []struct {
		given, want int
		refused     bool
	}{{0, 7, false}, {3, 3, false}, {-1, -1, true}} {
		v := tt.given
		err := option.Default("Options.N", &v, 7)
		if v != tt.want || (err != nil) != tt.refused {
			t.Errorf("%d became %d, %v", tt.given, v, err)
		}
	}
}

func TestDefaultOrNone(t *testing.T) {
	for given, want := range map[int]int{0: 7, 3: 3, -1: 0} {
		v := given
		if option.DefaultOrNone(&v, 7); v != want {
			t.Errorf("%d became %d, want %d", given, v, want)
		}
	}
}
