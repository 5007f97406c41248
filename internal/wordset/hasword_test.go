package wordset_test

import (
	"testing"

	"github.com/qedkit/qed/internal/wordset"
)

func TestHasWord(t *testing.T) {
	for _, test := range []struct {
		text, name string
		has, says  bool
	}{
		{"no table orders", "orders", true, true},
		{"no table orders2", "orders", false, false},
		{"no table orders_old", "orders", false, true},
		{"the ship _ever given_", "ever given", false, true},
		{`no table "客户表"`, "客户", false, true},
		{`no table "größer"`, "größe", false, false},
		{"xab ab ab", "ab ab", true, true},
		{"text", "", false, false},
	} {
		has, says := wordset.HasWord(test.text, test.name), wordset.SaysWord(test.text, test.name)
		if has != test.has || says != test.says {
			t.Errorf("%s in %s: %v, %v", test.name, test.text, has, says)
		}
	}
}
