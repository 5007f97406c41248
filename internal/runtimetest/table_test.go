package runtimetest_test

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
)

type label string

func table(values ...any) qed.Table {
	var t qed.Table
	for i := range values {
		t.Columns = append(t.Columns, qed.Column{Name: fmt.Sprint("c", i)})
	}
	t.Rows = [][]any{values}
	return t
}

func TestAppendMakesCells(t *testing.T) {
	seven := 7
	at := time.Date(2026, 11, 21, 5, 0, 0, 1000, time.FixedZone("", 3600))
	for name, test := range map[string]struct{ in, want any }{
		"nil":              {nil, nil},
		"bool":             {true, true},
		"int":              {7, int64(7)},
		"int8":             {int8(-7), int64(-7)},
		"int64":            {int64(math.MinInt64), int64(math.MinInt64)},
		"uint32":           {uint32(7), int64(7)},
		"uint64":           {uint64(math.MaxInt64), int64(math.MaxInt64)},
		"uint64 beyond":    {uint64(math.MaxUint64), "18446744073709551615"},
		"float64":          {1.0, 1.0},
		"float32":          {float32(0.1), 0.1},
		"NaN":              {math.NaN(), "NaN"},
		"infinity":         {math.Inf(1), "+Inf"},
		"float32 infinity": {float32(math.Inf(-1)), "-Inf"},
		"string":           {"é", "é"},
		"bytes":            {[]byte("é"), "é"},
		"no bytes":         {[]byte(nil), nil},
		"empty bytes":      {[]byte{}, ""},
		"binary":           {[]byte{0xff, 1}, "0xff01"},
		"binary string":    {"\xff", "0xff"},
		"raw bytes":        {sql.RawBytes("x"), "x"},
		"time":             {at, "2026-11-21T05:00:00.000001+01:00"},
		"pointer":          {&seven, int64(7)},
		"nil pointer":      {(*int)(nil), nil},
		"nil time":         {(*time.Time)(nil), nil},
		"valuer":           {sql.NullString{String: "x", Valid: true}, "x"},
		"null":             {sql.NullInt64{}, nil},
		"named":            {label("x"), "x"},
		"number":           {json.Number("1.10"), "1.10"},
		"big":              {new(big.Int).Lsh(big.NewInt(1), 80), "1208925819614629174706176"},
	} {
		got := table(nil)
		got.Rows = nil
		if err := got.Append(test.in); err != nil {
			t.Errorf("%s: %v", name, err)
		} else if diff := cmp.Diff(test.want, got.Rows[0][0]); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if _, err := json.Marshal(got); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAppendRefuses(t *testing.T) {
	got := table(nil, nil)
	got.Rows = nil
	for name, values := range map[string][]any{
		"too few":  {1},
		"too many": {1, 2, 3},
		"a struct": {1, struct{}{}},
		"a map":    {map[string]int{}, 1},
		"a func":   {1, func() {}},
	} {
		if err := got.Append(values...); err == nil || got.Rows != nil {
			t.Errorf("%s: %v", name, got.Rows)
		}
	}
}

// The buffer of a driver is used again for the next row.
func TestAppendKeepsNoReference(t *testing.T) {
	got := table(nil)
	got.Rows = nil
	buffer := []byte("first")
	for _, word := range []string{"first", "other"} {
		copy(buffer, word)
		if err := got.Append(buffer); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([][]any{{"first"}, {"other"}}, got.Rows); diff != "" {
		t.Error(diff)
	}
}

func TestTableJSON(t *testing.T) {
	for text, want := range map[string]qed.Table{
		`{"columns":[],"rows":[]}`: {},
		`{"columns":[{"name":"c0"},{"name":"c1"},{"name":"c2"}],"rows":[[null,true,false]]}`:                 table(nil, true, false),
		`{"columns":[{"name":"c0"},{"name":"c1"}],"rows":[[9223372036854775807,-9223372036854775808]]}`:      table(int64(math.MaxInt64), int64(math.MinInt64)),
		`{"columns":[{"name":"c0"},{"name":"c1"},{"name":"c2"},{"name":"c3"}],"rows":[[1,1.0,-0.0,1e+300]]}`: table(int64(1), 1.0, math.Copysign(0, -1), 1e300),
		`{"columns":[{"name":"c0"},{"name":"c1"}],"rows":[["","1\u003c2"]]}`:                                 table("", "1<2"),
		`{"columns":[{"name":"c0"}],"rows":[[9007199254740993]]}`:                                            table(int64(9007199254740993)),
		`{"columns":[{"name":"c0"}],"rows":[[9007199254740992.0]]}`:                                          table(9007199254740992.0),
		`{"columns":[{"name":"n","type":"INT"}],"rows":[],"truncated":true}`:                                 {Columns: []qed.Column{{Name: "n", Type: "INT"}}, Truncated: true},
	} {
		got, err := json.Marshal(want)
		if text := strings.ReplaceAll(text, "9007199254740992.0", "9.007199254740992e+15"); err != nil || string(got) != text {
			t.Errorf("written %s, want %s: %v", got, text, err)
		}
		var back qed.Table
		if err := json.Unmarshal([]byte(text), &back); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if diff := cmp.Diff(want, back); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
	}
}

func TestTableIsReadStrictly(t *testing.T) {
	for name, text := range map[string]string{
		"no rows":        `{"columns":[]}`,
		"no columns":     `{"rows":[]}`,
		"unknown field":  `{"columns":[],"rows":[],"more":1}`,
		"unknown column": `{"columns":[{"name":"a","more":1}],"rows":[]}`,
		"short row":      `{"columns":[{"name":"a"}],"rows":[[]]}`,
		"long row":       `{"columns":[],"rows":[[1]]}`,
		"array cell":     `{"columns":[{"name":"a"}],"rows":[[[]]]}`,
		"object cell":    `{"columns":[{"name":"a"}],"rows":[[{}]]}`,
		"beyond int64":   `{"columns":[{"name":"a"}],"rows":[[9223372036854775808]]}`,
		"beyond float64": `{"columns":[{"name":"a"}],"rows":[[1e999]]}`,
		"another type":   `[]`,
	} {
		var got qed.Table
		if err := json.Unmarshal([]byte(text), &got); err == nil {
			t.Errorf("%s: read as %+v", name, got)
		}
	}
}

func TestTableThatCannotBeWritten(t *testing.T) {
	short := table(int64(1))
	short.Rows = append(short.Rows, nil)
	for name, bad := range map[string]qed.Table{
		"int": table(1), "NaN": table(math.NaN()), "infinity": table(math.Inf(1)), "bytes": table([]byte("x")),
		"time": table(time.Now()), "no UTF-8": table("\xff"), "short row": short,
	} {
		if text, err := json.Marshal(bad); err == nil {
			t.Errorf("%s: written as %s", name, text)
		}
	}
}

func TestWriteText(t *testing.T) {
	got := qed.Table{
		Columns:   []qed.Column{{Name: "name"}, {Name: "n"}, {Name: "note"}},
		Truncated: true,
		Rows: [][]any{
			{"Zoë", int64(1), "a\nb\t\x1b[31mred\u202e"},
			{"界", 2.5, nil},
			{"", nil, strings.Repeat("x", 100)},
		},
	}
	var b bytes.Buffer
	if err := got.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	want := `name     n  note
----  ----  -------------------------------------------------------------
Zoë      1  a\nb\t\x1b[31mred\u202e
界      2.5  NULL
      NULL  ` + strings.Repeat("x", 60) + `…
(the first 3 rows; there are more)
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
	bad := table(int64(1))
	bad.Rows[0] = nil
	if err := bad.WriteText(&b); err == nil {
		t.Error("a short row was written")
	}
}

func FuzzTableJSON(f *testing.F) {
	f.Add([]byte(`{"columns":[{"name":"a","type":"INT"}],"rows":[[1],[1.0],[null],["x"],[true]],"truncated":true}`))
	f.Add([]byte(`{"columns":[],"rows":[[]]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		var first, second qed.Table
		if json.Unmarshal(raw, &first) != nil {
			return
		}
		text, err := json.Marshal(first)
		if err != nil {
			t.Fatalf("%q is read and cannot be written: %v", raw, err)
		}
		if err := json.Unmarshal(text, &second); err != nil {
			t.Fatalf("%q is written as %q, which cannot be read: %v", raw, text, err)
		}
		if diff := cmp.Diff(first, second); diff != "" {
			t.Fatalf("%q is read as something else the second time: %s", raw, diff)
		}
	})
}

// Whatever is in a cell, a terminal obeys nothing of it, and it takes one line.
func FuzzWriteText(f *testing.F) {
	f.Add("a", []byte("\x1b]0;title\x07\r\n\u202e\u0085"))
	f.Fuzz(func(t *testing.T, name string, cell []byte) {
		got := qed.Table{Columns: []qed.Column{{Name: name}, {Name: "b"}}}
		if err := got.Append(cell, string(cell)); err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := got.WriteText(&b); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(b.String(), "\n")
		if len(lines) != 5 {
			t.Fatalf("%d lines: %q", len(lines), b.String())
		}
		for _, line := range lines {
			for _, r := range line {
				if !unicode.IsPrint(r) {
					t.Fatalf("%q is written", r)
				}
			}
		}
	})
}
