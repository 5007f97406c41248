package esquery

import (
	"strings"
	"testing"

	"github.com/qedkit/qed/refusal"
)

const everyType = `{"properties":{
	"long":{"type":"long"}, "integer":{"type":"integer"}, "byte":{"type":"byte"}, "ulong":{"type":"unsigned_long"},
	"half":{"type":"half_float"}, "float":{"type":"float"}, "double":{"type":"double"}, "scaled":{"type":"scaled_float","scaling_factor":100},
	"flag":{"type":"boolean"}, "ip":{"type":"ip"}, "word":{"type":"keyword"}, "text":{"type":"text"},
	"ints":{"type":"integer_range"}, "days":{"type":"date_range"}, "nets":{"type":"ip_range"},
	"date":{"type":"date"}, "nanos":{"type":"date_nanos"}, "day":{"type":"date","format":"yyyy-MM-dd"},
	"basic":{"type":"date","format":"basic_date||epoch_second"}, "german":{"type":"date","format":"d. MMMM yyyy","locale":"de"},
	"week":{"type":"date","format":"xxxx-'W'ww"}, "link":{"type":"join","relations":{"q":["a"]}}, "odd":{"type":"future"}}}`

// problems returns what literal reports for a value.
func problems(t *testing.T, m *Mapping, field, literal string, use literalUse, format string) []refusal.Problem {
	t.Helper()
	v, err := readJSON(literal, 10, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := checker{}
	c.literal(m.lookup(field), &v, use, format)
	return c.problems
}

func TestLiterals(t *testing.T) {
	m := mustParse(t, everyType)
	for _, tt := range []struct {
		field   string
		use     literalUse
		taken   string // literals, separated by spaces
		refused string
	}{
		{"long", exactLiteral, `12 "12" 12.0 "12.0" "+12" 1e1 -9223372036854775808 9223372036854774784`,
			`12.5 "12.5" "abc" "" "12\u0020" "true" "NaN" "0x1" "1_0" "1d" 9223372036854775807 1e30`},
		{"long", boundLiteral, `12.5 "12.5" null 5000000000`, `"abc" 1e30`},
		{"integer", exactLiteral, `2147483647 "\u002012"`, `2147483648 0.5`},
		{"integer", boundLiteral, `0.5`, `2147483648`},
		{"byte", exactLiteral, `127 -128`, `128 -129`},
		{"byte", boundLiteral, `300 -300`, `2147483648 1e10`},
		{"ulong", exactLiteral, `0 18446744073709549568`, `-1 18446744073709551616`},
		{"half", exactLiteral, `1.5 65504 "1e3"`, `65520 "Infinity"`},
		{"float", exactLiteral, `3.4028235e38`, `3.5e38`},
		{"double", boundLiteral, `1e308 "-1.5"`, `"1e309" "NaN" "x"`},
		{"scaled", exactLiteral, `1.25`, `"x"`},
		{"days", exactLiteral, `"2024-01-02" "now"`, `20240102`},
		{"word", exactLiteral, `"x" "" 1 1.5 true`, ``},
		{"link", exactLiteral, `"q" "a"`, `"b"`},
	} {
		for literal := range strings.FieldsSeq(tt.taken) {
			if got := problems(t, m, tt.field, literal, tt.use, ""); got != nil {
				t.Errorf("%s of %s is refused: %s", literal, tt.field, got[0].Message)
			}
		}
		for literal := range strings.FieldsSeq(tt.refused) {
			if got := problems(t, m, tt.field, literal, tt.use, ""); len(got) != 1 || got[0].Code != ErrInvalidLiteral {
				t.Errorf("%s of %s is taken, or not refused once: %v", literal, tt.field, got)
			}
		}
	}
}

func TestDateLiterals(t *testing.T) {
	m := mustParse(t, everyType)
	for _, tt := range []struct {
		field, format string
		taken         []string
		refused       []string
	}{
		{"date", "",
			[]string{`"2024-01-02"`, `"2024-01"`, `"2024"`, `1704153600000`, `"1704153600000"`, `0`, `-1`, `"now"`, `"2024-01-01||+1M/d"`, `"00010203"`},
			// Milliseconds since 1970 for the engine, although they look like something else.
			[]string{`20240102`, `20241302`, `"20240102"`, `2024`, `202401`, `1704153600`, `"1704153600"`, `"20240102||/d"`}},
		{"date", "yyyyMMdd", []string{`20240102`, `"20240102"`}, nil},
		{"date", "yyyy", []string{`2024`, `"2024"`}, nil},
		{"date", "epoch_second", []string{`1704153600`, `"1704153600"`}, nil},
		{"date", "epoch_millis", []string{`1704153600000`}, []string{`1704153600`, `"20240102"`}},
		{"date", "yyyyMMdd||epoch_millis", []string{`"20240102"`}, nil},
		{"day", "", []string{`"2024-01-02"`}, []string{`1704153600000`, `20240102`}},
		{"basic", "", []string{`"20240102"`, `"1704153600"`}, []string{`1704153600`}},
		{"german", "", []string{`"2. Januar 2024"`}, nil},
	} {
		for _, literal := range tt.taken {
			if got := problems(t, m, tt.field, literal, boundLiteral, tt.format); got != nil {
				t.Errorf("%s of %s %q is refused: %s", literal, tt.field, tt.format, got[0].Message)
			}
		}
		for _, literal := range tt.refused {
			if got := problems(t, m, tt.field, literal, boundLiteral, tt.format); len(got) != 1 || got[0].Code != ErrInvalidLiteral {
				t.Errorf("%s of %s %q is taken, or not refused once: %v", literal, tt.field, tt.format, got)
			}
		}
	}
}

// A value must fit each of the indices that disagree.
func TestLiteralsOfSeveralIndices(t *testing.T) {
	m := mustParse(t, `{"a":{"mappings":{"properties":{"n":{"type":"long"},"d":{"type":"date"}}}},
		"b":{"mappings":{"properties":{"n":{"type":"byte"},"d":{"type":"date","format":"yyyy-MM-dd"}}}}}`)
	for literal, ok := range map[string]bool{`12`: true, `300`: false} {
		if got := problems(t, m, "n", literal, exactLiteral, ""); (got == nil) != ok {
			t.Errorf("%s: %v", literal, got)
		}
	}
	if needTerm.fits(m.lookup("d")) { // no value is the same date in both
		t.Error("a date of two formats can be searched")
	}
}

func TestBodyDates(t *testing.T) {
	check := func(what string, f func(c *checker, v *value), taken, refused []string) {
		for i, list := range [][]string{taken, refused} {
			for _, text := range list {
				c, v := checker{}, stringValue(text)
				if f(&c, &v); (len(c.problems) == 0) != (i == 0) {
					t.Errorf("%s %q: %v", what, text, c.problems)
				}
			}
		}
	}
	check("format", func(c *checker, v *value) { c.dateFormat(v, false) },
		[]string{"yyyy-MM-dd", "yyyy-MM-dd'T'HH:mm:ss.SSSX", "epoch_millis", "strict_date||epoch_second", "xxxx-'W'ww", "week_date", "YYYY-'W'ww", "QQQ yyyy", "HH:mm", "EEEE", "hh:mm a"},
		[]string{"YYYY-MM-dd", "yyyy-MM-DD", "epoch_millis||YYYY-MM-dd", "yyyy-DDD", "yyyy-mm", "mm", "ss", "hh:mm", "'day'", ""})
}

// Every example that a message or a description shows must be readable.
func TestExamples(t *testing.T) {
	formats := []string{"epoch_millis", "epoch_second", "yyyy-MM-dd HH:mm:ss", "dd/MM/yyyy", "MMM d, yyyy", "yyyyMMddHHmmss", "yy-MM-dd",
		"yyyy-MM-dd'T'HH:mm:ss.SSSXXX", "yyyy-MM-dd'T'HH:mm:ssZ", "uuuu/M/d"}
	for name := range namedLayouts {
		formats = append(formats, name)
	}
	for _, format := range formats {
		example := dateExample(format)
		if _, as := readDate(example, []string{format}); as < aYear {
			t.Errorf("%s does not read its example %q", format, example)
		}
	}
	for _, format := range []string{"", "xxxx-'W'ww", "week_date", "HH 'o''clock'", "yyyy[-MM]"} {
		if example := dateExample(format); example != "" {
			t.Errorf("%s has the example %s", format, example)
		}
	}
}

func TestIntervals(t *testing.T) {
	for body, width := range map[string]float64{
		`{"calendar_interval":"1d"}`: day, `{"calendar_interval":"month"}`: 28 * day, `{"calendar_interval":"1w"}`: 7 * day,
		`{"fixed_interval":"30d"}`: 30 * day, `{"fixed_interval":"1ms"}`: 1, `{"fixed_interval":"12h"}`: day / 2,
		`{"calendar_interval":"2d"}`: 0, `{"calendar_interval":"30m"}`: 0, `{"calendar_interval":"1ms"}`: 0, `{"calendar_interval":""}`: 0,
		`{"fixed_interval":"1M"}`: 0, `{"fixed_interval":"1w"}`: 0, `{"fixed_interval":"1.5h"}`: 0, `{"fixed_interval":"0d"}`: 0,
		`{"fixed_interval":"d"}`: 0, `{"fixed_interval":"1S"}`: 0, `{"fixed_interval":""}`: 0, `{}`: 0,
	} {
		v, err := readJSON(body, 10, nil)
		if err != nil {
			t.Fatal(err)
		}
		c := checker{}
		if got := c.interval(&v); got != width || (len(c.problems) == 0) != (width > 0) {
			t.Errorf("%s: %v, want %v: %v", body, got, width, c.problems)
		}
	}
}

func TestGeoPoints(t *testing.T) {
	for literal, ok := range map[string]bool{
		`{"lat":52.5,"lon":13.4}`: true, `{"lat":"1","lon":"2"}`: true, `[13.4,52.5]`: true, `"52.5,13.4"`: true, `"1 , 2"`: true,
		`"POINT (13.4 52.5)"`: true, `"u33d"`: true, `{"geohash":"u33d"}`: true,
		`{"lat":91,"lon":2}`: false, `[181,1]`: false, `[1,91]`: false, `"91,2"`: false, `null`: false, `1`: false, `[1]`: false, `"NaN,1"`: false,
	} {
		v, err := readJSON(literal, 10, nil)
		if err != nil {
			t.Fatal(err)
		}
		c := checker{}
		if c.geoPoint(&v); (len(c.problems) == 0) != ok {
			t.Errorf("%s: %v", literal, c.problems)
		}
	}
}

func FuzzDates(f *testing.F) {
	f.Add("yyyy-MM-dd'T'HH:mm:ss[.SSS]X||epoch_millis", "2024-01-02T10:11:12.123Z")
	f.Add("strict_date_optional_time", "2024-01-02||+1M/d")
	f.Add("[[[yyyy]]]MMMM''", "now-1d/d")
	f.Fuzz(func(t *testing.T, format, date string) {
		field := &Field{Path: "d", Type: "date", family: dateFamily, Formats: strings.Split(format, "||")}
		c, v := checker{}, stringValue(date)
		c.literal(field, &v, boundLiteral, "")
		c.literal(field, &v, exactLiteral, format)
		formatValue := stringValue(format)
		c.dateFormat(&formatValue, true)
		pointOf(field, &v, format)
		dateExample(format)
	})
}
