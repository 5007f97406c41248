package esquery

import (
	"strings"
)

// dateFormat is one format of dates, as java.time has it. The zero dateFormat is
// one that cannot be read here, so that everything is left to the engine.
type dateFormat struct {
	parts []datePart
	epoch string // "epoch_millis", "epoch_second", or empty
}

// datePart is a letter of a pattern with its width, a literal, or what is optional.
type datePart struct {
	letter   byte // of the pattern; 0: literal; '[': optional
	min, max int  // digits; of a text min is its form
	literal  string
	optional []datePart
}

// In the patterns of the named formats, f is a point or comma and one to nine
// digits, p the same with a point only, q one to three of them, and o is Z, an offset
// in any of the usual forms or a region.
var namedFormats = map[string]string{
	"strict_date_optional_time":       "uuuu[-MM[-dd]]['T'[HH[:mm[:ss[f]]][o]]]",
	"date_optional_time":              "u[-M[-d]]['T'[H[:m[:s[f]][o]]]]",
	"iso8601":                         "uuuu[-MM[-dd]]['T'[HH[:mm[:ss[f]]][o]]]",
	"strict_date_optional_time_nanos": "uuuu[-MM[-dd]]['T'HH:mm:ss[f][o]]",

	"basic_date":                "uuuuMMdd",
	"basic_date_time":           "uuuuMMdd'T'HHmmsspo",
	"basic_date_time_no_millis": "uuuuMMdd'T'HHmmsso",

	"strict_date":                             "uuuu-MM-dd",
	"date":                                    "u[-M[-d]]",
	"strict_date_hour":                        "uuuu-MM-dd'T'HH",
	"date_hour":                               "u[-M[-d]]'T'H",
	"strict_date_hour_minute":                 "uuuu-MM-dd'T'HH:mm",
	"date_hour_minute":                        "u[-M[-d]]'T'H:m",
	"strict_date_hour_minute_second":          "uuuu-MM-dd'T'HH:mm:ss",
	"date_hour_minute_second":                 "u[-M[-d]]'T'H:m:s",
	"strict_date_hour_minute_second_fraction": "uuuu-MM-dd'T'HH:mm:ssp",
	"date_hour_minute_second_fraction":        "u[-M[-d]]'T'H:m:sp",
	"strict_date_hour_minute_second_millis":   "uuuu-MM-dd'T'HH:mm:ssp",
	"date_hour_minute_second_millis":          "u[-M[-d]]'T'H:m:sq",
	"strict_date_time":                        "uuuu-MM-dd'T'HH:mm:ss[p]o",
	"date_time":                               "u[-M[-d]]'T'H:m:spo",
	"strict_date_time_no_millis":              "uuuu-MM-dd'T'HH:mm:sso",
	"date_time_no_millis":                     "u-M-d'T'H:m[:s][o]",
	"strict_year":                             "uuuu",
	"year":                                    "u",
	"strict_year_month":                       "uuuu-MM",
	"year_month":                              "u-M",
	"strict_year_month_day":                   "uuuu[-MM[-dd]]",
	"year_month_day":                          "u-M-d",
}

// unreadFormats are the named formats that are left to the engine.
var unreadFormats = namedSet(`rfc3339_lenient
	basic_ordinal_date basic_ordinal_date_time basic_ordinal_date_time_no_millis
	basic_time basic_time_no_millis basic_t_time basic_t_time_no_millis
	basic_week_date basic_week_date_time basic_week_date_time_no_millis
	hour hour_minute hour_minute_second hour_minute_second_fraction hour_minute_second_millis
	ordinal_date ordinal_date_time ordinal_date_time_no_millis
	time time_no_millis t_time t_time_no_millis
	week_date week_date_time week_date_time_no_millis
	weekyear week_year weekyear_week weekyear_week_day
	strict_basic_week_date strict_basic_week_date_time strict_basic_week_date_time_no_millis
	strict_hour strict_hour_minute strict_hour_minute_second strict_hour_minute_second_fraction
	strict_hour_minute_second_millis strict_ordinal_date strict_ordinal_date_time
	strict_ordinal_date_time_no_millis strict_time strict_time_no_millis strict_t_time
	strict_t_time_no_millis strict_week_date strict_week_date_time strict_week_date_time_no_millis
	strict_weekyear strict_weekyear_week strict_weekyear_week_day`)

func namedSet(names string) map[string]bool {
	set := map[string]bool{}
	for name := range strings.FieldsSeq(names) {
		set[name] = true
	}
	return set
}

var parsedFormats = func() map[string]dateFormat {
	all := make(map[string]dateFormat, len(namedFormats)+2)
	for name, pattern := range namedFormats {
		p := patternReader{text: pattern, named: true}
		parts, _ := p.parts(0)
		all[name] = dateFormat{parts: parts}
	}
	for _, name := range []string{"epoch_millis", "epoch_second"} {
		all[name] = dateFormat{epoch: name}
	}
	return all
}()

// readFormat reads a named format or a pattern. locale is that of the field: months
// and days are read in English only.
func readFormat(name, locale string) dateFormat {
	if f, ok := parsedFormats[name]; ok {
		return f
	}
	if unreadFormats[name] || len(name) > maxFormat {
		return dateFormat{}
	}
	p := patternReader{text: strings.TrimPrefix(name, "8"), locale: locale}
	parts, ok := p.parts(0)
	if !ok || p.at < len(p.text) {
		return dateFormat{}
	}
	return dateFormat{parts: parts}
}

// readable reports whether the format is one that dates can be checked against.
func (f *dateFormat) readable() bool { return f.parts != nil || f.epoch != "" }

const (
	maxFormat   = 200
	maxOptional = 10
)

type patternReader struct {
	text   string
	at     int
	named  bool
	locale string
}

// parts reads up to the end, or the end of what is optional.
func (p *patternReader) parts(depth int) ([]datePart, bool) {
	parts := []datePart{}
	for p.at < len(p.text) {
		c := p.text[p.at]
		switch {
		case c == ']' && depth > 0:
			return parts, true
		case c == '[':
			p.at++
			inner, ok := p.parts(depth + 1)
			if !ok || p.at == len(p.text) || depth == maxOptional {
				return nil, false
			}
			p.at++
			parts = append(parts, datePart{letter: '[', optional: inner})
		case c == '\'':
			literal, ok := p.quoted()
			if !ok {
				return nil, false
			}
			parts = append(parts, datePart{literal: literal})
		case c|0x20 >= 'a' && c|0x20 <= 'z':
			from := p.at
			for p.at < len(p.text) && p.text[p.at] == c {
				p.at++
			}
			part, ok := p.part(c, p.at-from)
			if !ok {
				return nil, false
			}
			parts = append(parts, part)
		case strings.IndexByte("]{}#", c) >= 0:
			return nil, false
		default:
			p.at++
			parts = append(parts, datePart{literal: string(c)})
		}
	}
	return parts, true
}

// quoted reads a literal in quotes; two quotes are one, within and without.
func (p *patternReader) quoted() (string, bool) {
	var b strings.Builder
	for p.at++; p.at < len(p.text); p.at++ {
		if p.text[p.at] != '\'' {
			b.WriteByte(p.text[p.at])
			continue
		}
		if p.at+1 < len(p.text) && p.text[p.at+1] == '\'' {
			p.at++
			b.WriteByte('\'')
			continue
		}
		p.at++
		if b.Len() == 0 {
			return "'", true
		}
		return b.String(), true
	}
	return "", false
}

// part is what n times a letter means.
func (p *patternReader) part(c byte, n int) (datePart, bool) {
	digits := func(least, most int) (datePart, bool) { return datePart{letter: c, min: least, max: most}, true }
	switch c {
	case 'u', 'y':
		switch {
		case n == 1 && p.named:
			return digits(1, 4)
		case n == 1:
			return digits(1, 9)
		case n == 2 || n == 4:
			return digits(n, n)
		}
	case 'M', 'L', 'E':
		switch {
		case c != 'E' && n == 1:
			return digits(1, 2)
		case c != 'E' && n == 2:
			return digits(2, 2)
		case n <= 4 && english(p.locale):
			return datePart{letter: 'E', min: n, literal: string(c)}, true
		}
	case 'd', 'H', 'h', 'k', 'K', 'm', 's':
		if n <= 2 {
			return digits(n, 2)
		}
	case 'S':
		if n <= 9 {
			return digits(n, n)
		}
	case 'a':
		return datePart{letter: c}, n == 1 && english(p.locale)
	case 'X', 'x', 'Z':
		if n <= 3 {
			return datePart{letter: c, min: n}, true
		}
	case 'f', 'p', 'q', 'o':
		return datePart{letter: c}, p.named
	}
	return datePart{}, false
}

func english(locale string) bool {
	return locale == "" || strings.EqualFold(locale, "root") || locale == "en" || strings.HasPrefix(locale, "en_") || strings.HasPrefix(locale, "en-")
}
