package esquery

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestReadJSON(t *testing.T) {
	for _, tt := range []struct {
		text, want string // of the value printed anew; "" where it must be refused
	}{
		{` { "a" : [ 1 , -0.5e+3 , true , null ] , "b" : { } } `, `{"a":[1,-0.5e+3,true,null],"b":{}}`},
		{`"\u00e9\n\/\ud83d\ude00"`, `"é\u000a/😀"`},
		{`""`, `""`},
		{`{"a\"}":[{"b]":"\\"},1,-2]}`, `{"a\"}":[{"b]":"\\"},1,-2]}`},
		{`[]`, `[]`},
		{`12345678901234567890.10`, `12345678901234567890.10`},
		{``, ""}, {`{`, ""}, {`[1,]`, ""}, {`{"a":1,}`, ""}, {`{a:1}`, ""}, {`{'a':1}`, ""}, {`{"a" 1}`, ""}, {`[1 2]`, ""},
		{`01`, ""}, {`+1`, ""}, {`.5`, ""}, {`1.`, ""}, {`1e`, ""}, {`-`, ""}, {`NaN`, ""}, {`Infinity`, ""}, {`nul`, ""}, {`truex`, ""},
		{`1 2`, ""}, {`// x`, ""}, {`"\x"`, ""}, {`"\ud800"`, ""}, {`"\ude00\ud83d"`, ""}, {"\"\x01\"", ""}, {"\"\xff\"", ""}, {`"\u12g4"`, ""}, {`"\u+123"`, ""}, {`"a`, ""},
		{strings.Repeat("[", 11) + strings.Repeat("]", 11), ""},
	} {
		v, err := readJSON(tt.text, 10, nil)
		got := ""
		if err == nil {
			got = string(v.appendTo(nil))
		}
		if got != tt.want {
			t.Errorf("readJSON(%s) = %s, %v, want %s", tt.text, got, err, tt.want)
		}
	}
}

func TestReadJSONDuplicates(t *testing.T) {
	many := strings.Builder{}
	for i := range 40 {
		many.WriteString(`"k` + strings.Repeat("x", i) + `":1,`)
	}
	for _, tt := range []struct {
		text string
		want []string
	}{
		{`{"a":1,"b":{"a":1}}`, nil},
		{`{"a":1,"a":2}`, []string{"a"}},
		{`{"a":1,"\u0061":2}`, []string{"a"}},
		{`[{"b":{"a":1,"c":3,"a":2,"a":3}}]`, []string{"a", "a"}},
		{`{` + many.String() + `"kx":2}`, []string{"kx"}},
	} {
		var got []string
		if _, err := readJSON(tt.text, 10, func(_ []step, key string) { got = append(got, key) }); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("readJSON(%s) (-want +got):\n%s", tt.text, diff)
		}
	}
}

// FuzzReadJSON compares the parser with encoding/json.
func FuzzReadJSON(f *testing.F) {
	for _, seed := range []string{`{"a":[1,-2.5e3,"x\u00e9\n",true,false,null]}`, `"\ud83d\ude00"`, `[[[]]]`, ` 0 `, `1e999`, "\"\u007f\u2028\"", `{"a":1,"a":2}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, err := readJSON(text, 1000, func([]step, string) {})
		valid := json.Valid([]byte(text))
		if err == nil && !valid {
			t.Fatalf("readJSON(%q) takes what is no JSON", text)
		}
		if err != nil {
			// It is stricter than encoding/json only for invalid UTF-8, halves of
			// surrogate pairs, and depth.
			if valid && utf8.ValidString(text) && !strings.Contains(strings.ToLower(text), `\ud`) && strings.Count(text, "[")+strings.Count(text, "{") < 1000 {
				t.Fatalf("readJSON(%q): %v, and it is JSON", text, err)
			}
			return
		}
		printed := v.appendTo(nil)
		if a, b := decoded(t, []byte(text)), decoded(t, printed); !cmp.Equal(a, b) {
			t.Fatalf("readJSON(%q) prints %s, which means something else", text, printed)
		}
	})
}

func decoded(t *testing.T, text []byte) any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}
