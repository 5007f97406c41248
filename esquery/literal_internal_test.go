package esquery

import (
	"strings"
	"testing"
)

const everyType = `{"properties":{
	"long":{"type":"long"}, "integer":{"type":"integer"}, "byte":{"type":"byte"}, "ulong":{"type":"unsigned_long"},
	"half":{"type":"half_float"}, "float":{"type":"float"}, "double":{"type":"double"}, "scaled":{"type":"scaled_float","scaling_factor":100},
	"flag":{"type":"boolean"}, "ip":{"type":"ip"}, "word":{"type":"keyword"}, "text":{"type":"text"},
	"ints":{"type":"integer_range"}, "days":{"type":"date_range"}, "nets":{"type":"ip_range"},
	"date":{"type":"date"}, "nanos":{"type":"date_nanos"}, "day":{"type":"date","format":"yyyy-MM-dd"},
	"basic":{"type":"date","format":"basic_date||epoch_second"}, "german":{"type":"date","format":"d. MMMM yyyy","locale":"de"},
	"week":{"type":"date","format":"xxxx-'W'ww"}, "link":{"type":"join","relations":{"q":["a"]}}, "odd":{"type":"future"}}}`

// problems are what literalAs says of a value.
func problems(t *testing.T, m *Mapping, field, literal string, use literalUse, format string) []Problem {
	t.Helper()
	v, err := readJSON(literal, 10, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := checker{}
	c.literalAs(m.lookup(field), &v, use, format)
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
		{"long", exactLiteral, `12 "12" 12.0 "12.0" "+12" 1e1 -9223372036854775808 9223372036854775807`,
			`12.5 "12.5" "abc" "" "12\u0020" true "true" null [1] {} "NaN" "0x1" "1_0" "1d" 9223372036854775808 1e30`},
		{"long", boundLiteral, `12.5 "12.5" null 5000000000`, `"abc" 1e30 true []`},
		{"integer", exactLiteral, `2147483647 "\u002012"`, `2147483648 0.5`},
		{"integer", boundLiteral, `0.5`, `2147483648`},
		{"byte", exactLiteral, `127 -128`, `128 -129`},
		{"byte", boundLiteral, `300 -300`, `2147483648`},
		{"ulong", exactLiteral, `0 18446744073709551615`, `-1 18446744073709551616`},
		{"half", exactLiteral, `1.5 65504 "1e3"`, `65520 "Infinity"`},
		{"float", exactLiteral, `3.4028235e38`, `3.5e38`},
		{"double", boundLiteral, `1e308 "-1.5"`, `"1e309" "NaN" "x"`},
		{"scaled", exactLiteral, `1.25`, `"x"`},
		{"flag", exactLiteral, `true false "true" "false"`, `"True" 1 0 "" "yes" null`},
		{"ip", exactLiteral, `"10.0.0.1" "10.0.0.0/8" "::1" "2001:db8::/32"`, `"10.0.0" "010.0.0.1" "10.0.0.0/33" "" 1 "host"`},
		{"ip", boundLiteral, `"10.0.0.1" null`, `"10.0.0.0/8"`},
		{"nets", exactLiteral, `"10.0.0.1"`, `"10.0.0.0/8"`},
		{"ints", exactLiteral, `12 "12"`, `12.5 "x" 2147483648`},
		{"days", exactLiteral, `"2024-01-02" "now"`, `"x"`},
		{"word", exactLiteral, `"x" "" 1 1.5 true`, `null [1] {"a":1}`},
		{"text", matchLiteral, `"x" 1 true`, `null [1]`},
		{"link", exactLiteral, `"q" "a"`, `"b"`},
		{"odd", exactLiteral, `"x" 1 true`, `null []`},
	} {
		for literal := range strings.FieldsSeq(tt.taken) {
			if got := problems(t, m, tt.field, literal, tt.use, ""); got != nil {
				t.Errorf("%s of %s is refused: %s", literal, tt.field, got[0].Message)
			}
		}
		for literal := range strings.FieldsSeq(tt.refused) {
			if got := problems(t, m, tt.field, literal, tt.use, ""); len(got) != 1 || got[0].Code != InvalidLiteral {
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
			[]string{`"2024-01-02"`, `"2024-01"`, `"2024"`, `"2024-02-29"`, `"2024-01-02T10:11:12Z"`, `"2024-01-02T10:11:12.123456789+01:00"`,
				`"2024-01-02T10:11:12Europe/Berlin"`, `1704153600000`, `"1704153600000"`, `0`, `-1`, `"now"`, `"now-1d/d"`, `"now+1M/M-1s"`,
				`"2024-01-01||+1M/d"`, `"2024-01-02||"`, `"now+d"`, `"now-1H"`},
			[]string{`"2024-1-2"`, `"2024-01-02 10:00:00"`, `"01/02/2024"`, `"2024-13-01"`, `"2024-02-30"`, `"2023-02-29"`, `"2024-01-02T25:00:00Z"`,
				`""`, `"yesterday"`, `"NOW"`, `"now - 1d"`, `"now-1x"`, `"now+"`, `"now-10"`, `"now/2d"`, `"now+2147483648d"`, `"||now"`,
				`"2024-01-02||+1M||"`, `true`, `1704153600000.5`, `1.7e12`, `1704153600000.0`,
				// Milliseconds since 1970 by the engine, and not by their looks.
				`20240102`, `"20240102"`, `2024`, `202401`, `1704153600`, `"1704153600"`}},
		{"date", "yyyyMMdd", []string{`20240102`, `"20240102"`}, []string{`"2024-01-02"`, `2024`}},
		{"date", "yyyy", []string{`2024`, `"2024"`, `"2024||/y"`, `"now/y"`}, []string{`"2024-01"`}},
		{"date", "epoch_second", []string{`1704153600`, `"1704153600.5"`}, []string{`"2024-01"`}},
		{"date", "MMM d, yyyy", []string{`"Jan 2, 2024"`}, []string{`"jan 2, 2024"`, `"Foo 2, 2024"`}},
		{"date", "yyyy-MM-dd HH:mm:ss", []string{`"2024-01-02 10:11:12"`}, []string{`"2024-01-02"`, `"2024-01-02 24:00:00"`}},
		{"date", "dd/MM/yyyy||yyyy", []string{`"02/01/2024"`, `"2024"`}, []string{`"1/2/2024"`, `"13/13/2024"`}},
		{"date", "yyyy-MM-dd'T'HH:mm:ssZ", []string{`"2024-01-02T00:00:00+0000"`}, []string{`"2024-01-02T00:00:00Z"`, `"2024-01-02T00:00:00+00:00"`}},
		{"date", "yyyy-MM-dd['T'HH:mm]", []string{`"2024-01-02"`, `"2024-01-02T10:11"`}, []string{`"2024-01-02T"`}},
		{"day", "", []string{`"2024-01-02"`, `"now"`}, []string{`"2024"`, `"2024-01-02T00:00:00Z"`, `1704153600000`, `20240102`}},
		{"nanos", "", []string{`"2024-01-02"`, `"2024-01-02T10:11:12Z"`, `1704153600000`}, []string{`"1969-01-01"`, `"2300-01-01"`, `-1`, `"2024-01-02T10:11"`}},
		{"basic", "", []string{`"20240102"`, `"1704153600"`}, []string{`"2024-01-02"`, `1704153600`}},
		// What cannot be read here is left to the engine.
		{"german", "", []string{`"2. Januar 2024"`, `"anything"`}, nil},
		{"week", "", []string{`"2024-W01"`}, nil},
	} {
		for _, literal := range tt.taken {
			if got := problems(t, m, tt.field, literal, boundLiteral, tt.format); got != nil {
				t.Errorf("%s of %s %q is refused: %s", literal, tt.field, tt.format, got[0].Message)
			}
		}
		for _, literal := range tt.refused {
			if got := problems(t, m, tt.field, literal, boundLiteral, tt.format); len(got) != 1 || got[0].Code != InvalidLiteral {
				t.Errorf("%s of %s %q is taken, or not refused once: %v", literal, tt.field, tt.format, got)
			}
		}
	}
}

// A value must be right in each of the indices that disagree.
func TestLiteralsOfSeveralIndices(t *testing.T) {
	m := mustParse(t, `{"a":{"mappings":{"properties":{"n":{"type":"long"},"d":{"type":"date"}}}},
		"b":{"mappings":{"properties":{"n":{"type":"byte"},"d":{"type":"date","format":"yyyy-MM-dd"}}}}}`)
	for _, tt := range []struct {
		field, literal string
		ok             bool
	}{
		{"n", `12`, true},
		{"n", `300`, false},
		{"d", `"2024-01-02"`, true},
		{"d", `"2024"`, false},
	} {
		if got := problems(t, m, tt.field, tt.literal, exactLiteral, ""); (got == nil) != tt.ok {
			t.Errorf("%s of %s: %v", tt.literal, tt.field, got)
		}
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
	check("calendar_interval", (*checker).calendarInterval, []string{"1d", "day", "1M", "month", "quarter", "1w"}, []string{"2d", "30m", "1ms", "fortnight", ""})
	check("fixed_interval", (*checker).fixedInterval, []string{"30d", "1ms", "12h"}, []string{"1M", "month", "1w", "1.5h", "0d", "-1d", "d", ""})
	check("offset", (*checker).dateOffset, []string{"+6h", "-1d", "30m", "0"}, []string{"6", "+1M", "x"})
	check("time_zone", (*checker).timeZone,
		[]string{"UTC", "Z", "+1", "+01", "+01:00", "+0100", "-18:00", "UTC+1", "Europe/Berlin", "America/New_York", "Etc/GMT+5", "CET"},
		[]string{"", "z", "+1:00", "+19:00", "europe/berlin", "Berlin", "EST", "PST", "now"})
	check("format", (*checker).dateFormat,
		[]string{"yyyy-MM-dd", "yyyy-MM-dd'T'HH:mm:ss.SSSX", "epoch_millis", "strict_date||epoch_second", "xxxx-'W'ww", "yyyy-DDD", "week_date", "YYYY-'W'ww", "QQQ yyyy"},
		[]string{"", "YYYY-MM-dd", "yyyy-MM-DD", "bogus", "yyyy||", "strict_dat"})
}

func TestGeoPoints(t *testing.T) {
	for literal, ok := range map[string]bool{
		`{"lat":52.5,"lon":13.4}`: true, `{"lat":"1","lon":"2"}`: true, `[13.4,52.5]`: true, `"52.5,13.4"`: true, `"1 , 2"`: true,
		`"POINT (13.4 52.5)"`: true, `"u33d"`: true, `{"geohash":"u33d"}`: true,
		`{"lat":91,"lon":2}`: false, `[181,1]`: false, `[1,91]`: false, `"91,2"`: false, `{"lat":1}`: false, `{"lat":1,"lon":2,"z":3}`: false,
		`[2,1,5]`: false, `["2","1"]`: false, `[[2,1]]`: false, `""`: false, `"abc"`: false, `"s0!"`: false, `null`: false, `1`: false,
		`"1,2,3"`: false, `{"lat":null,"lon":1}`: false, `"POINT 1 2"`: false,
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

func TestVectors(t *testing.T) {
	m := mustParse(t, `{"properties":{"f":{"type":"dense_vector","dims":3},"dot":{"type":"dense_vector","dims":3,"similarity":"l2_norm"},
		"b":{"type":"dense_vector","dims":3,"element_type":"byte"},"bits":{"type":"dense_vector","dims":16,"element_type":"bit"},
		"k":{"type":"knn_vector","dimension":2},"any":{"type":"dense_vector"}}}`)
	for _, tt := range []struct {
		field, literal string
		ok             bool
	}{
		{"f", `[1,2,3]`, true}, {"f", `[1,2]`, false}, {"f", `[0,0,0]`, false}, {"f", `[1,"2",3]`, false}, {"f", `[1,2,1e39]`, false}, {"f", `"x"`, false}, {"f", `null`, false},
		{"dot", `[0,0,0]`, true},
		{"b", `[1,-128,127]`, true}, {"b", `[1,2,128]`, false}, {"b", `[1,2,0.5]`, false}, {"b", `"0aff01"`, true}, {"b", `"0aff"`, false},
		{"bits", `[1,2]`, true}, {"bits", `"0aff"`, true}, {"bits", `[1,0,1,0]`, false},
		{"k", `[1,2]`, true}, {"k", `[1]`, false}, {"any", `[1,2,3,4]`, true},
	} {
		v, err := readJSON(tt.literal, 10, nil)
		if err != nil {
			t.Fatal(err)
		}
		c := checker{}
		if c.vector(m.lookup(tt.field), &v); (len(c.problems) == 0) != tt.ok {
			t.Errorf("%s of %s: %v", tt.literal, tt.field, c.problems)
		}
	}
}

// What an example says is right must be right.
func TestExamples(t *testing.T) {
	patterns := []string{"yyyy-MM-dd HH:mm:ss", "dd/MM/yyyy", "MMM d, yyyy", "EEE MMM dd yyyy", "yyyyMMddHHmmss", "yy-MM-dd", "h:mm a, d MMMM yyyy",
		"yyyy-MM-dd'T'HH:mm:ss.SSSXXX", "yyyy-MM-dd'T'HH:mm:ssZ", "uuuu/M/d", "yyyy[-MM]", "HH 'o''clock'"}
	for name := range parsedFormats {
		patterns = append(patterns, name)
	}
	for _, name := range patterns {
		f := readFormat(name, "")
		if example := f.example(); example == "" {
			t.Errorf("%s has no example", name)
		} else if _, ok := f.matches(example); !ok {
			t.Errorf("%s does not read its example %s", name, example)
		}
	}
}

func FuzzDates(f *testing.F) {
	f.Add("yyyy-MM-dd'T'HH:mm:ss[.SSS]X||epoch_millis", "2024-01-02T10:11:12.123Z", "en")
	f.Add("strict_date_optional_time", "2024-01-02||+1M/d", "")
	f.Add("[[[yyyy]]]MMMM''", "now-1d/d", "de")
	f.Fuzz(func(t *testing.T, format, date, locale string) {
		field := &Field{Path: "d", Type: "date", family: dateFamily, locale: locale, Formats: strings.Split(format, "||")}
		c, v := checker{}, stringValue(date)
		c.literal(field, &v, boundLiteral)
		c.literalAs(field, &v, exactLiteral, format)
		formatValue := stringValue(format)
		c.dateFormat(&formatValue)
		c.timeZone(&v)
		one := readFormat(format, locale)
		if example := one.example(); example != "" && locale == "" {
			// An optional part may swallow what the next one needs: only no panic is asked.
			one.matches(example)
		}
	})
}
