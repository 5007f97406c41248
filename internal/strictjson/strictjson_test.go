package strictjson_test

import (
	"testing"

	"github.com/qedkit/qed/internal/strictjson"
)

func TestDecode(t *testing.T) {
	type value struct {
		A     int
		Inner struct{ B string }
	}
	for raw, ok := range map[string]bool{
		`{}`:                          true,
		" {\"a\":1}\n\t ":             true,
		`{"a":1,"inner":{"b":"x"}}`:   true,
		`{"a":1,"c":2}`:               false,
		`{"inner":{"b":"x","c":"y"}}`: false,
		`{"a":"1"}`:                   false,
		`{"a":1} {}`:                  false,
		`{"a":1}}`:                    false,
		`{"a":1} x`:                   false,
		`{"a":`:                       false,
		``:                            false,
	} {
		var v value
		if err := strictjson.Decode([]byte(raw), &v); (err == nil) != ok {
			t.Errorf("%q: %v", raw, err)
		}
	}
	var v value
	if err := strictjson.Decode([]byte(`{"a":7,"inner":{"b":"x"}}`), &v); err != nil || v.A != 7 || v.Inner.B != "x" {
		t.Errorf("decoded %+v, %v", v, err)
	}
}

func TestCompactAndText(t *testing.T) {
	for raw, want := range map[string]struct{ compact, text string }{
		` { "b": 1, "a": "x y" } `: {`{"b":1,"a":"x y"}`, `{"b":1,"a":"x y"}`},
		`"two \"words\""`:          {`"two \"words\""`, `two "words"`},
		`7`:                        {`7`, `7`},
		`not JSON `:                {`not JSON `, `not JSON `},
		``:                         {``, ``},
	} {
		if got := strictjson.Compact([]byte(raw)); string(got) != want.compact {
			t.Errorf("Compact(%q) = %q", raw, got)
		}
		if got := strictjson.Text([]byte(raw)); got != want.text {
			t.Errorf("Text(%q) = %q", raw, got)
		}
	}
}
