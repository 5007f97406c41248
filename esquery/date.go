package esquery

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// The engines reject a date that does not fit its format, wrong date math and
// unknown time zones. What they accept without an error, and is checked here, are
// digits that they read as milliseconds, and formats that print another date.

// date reports digits that the engine reads as another date than they look like.
// format is the format in the body, which replaces those of the field; empty means
// that the body has none.
func (c *checker) date(f *Field, v *value, format string) {
	digits, _, _ := strings.Cut(v.text, "||")
	if v.kind != number && v.kind != str || !isDigits(digits) {
		return
	}
	formats := f.Formats
	if format != "" {
		formats = strings.Split(format, "||")
	}
	millis := slices.Contains(formats, "epoch_millis")
	text := v.kind == str || format != "" // with a format of its own, a number is read like a string
	switch {
	case !text && len(formats) > 0 && !millis:
		// Elasticsearch reads milliseconds whatever the format is, OpenSearch what
		// the format says.
		c.report(ErrInvalidLiteral, nil,
			"%s is a date of the format %s, in which engines read numbers differently; write it as a string%s",
			quoted(f.Path), quoted(strings.Join(formats, "||")), such(formats))
	case text && (!millis || slices.ContainsFunc(formats, readsDigits)):
	default:
		c.misread(f, digits, text, formats)
	}
}

// readsDigits reports whether a format can read a date without separators.
func readsDigits(format string) bool {
	return format == "epoch_second" || strings.HasPrefix(format, "basic_") ||
		!strings.ContainsFunc(format, func(r rune) bool { return r|0x20 < 'a' || r|0x20 > 'z' })
}

// misread reports digits that look like a year, a month, a day or seconds, and
// that the engine reads as milliseconds since 1970.
func (c *checker) misread(f *Field, digits string, text bool, formats []string) {
	if digits[0] == '0' || text && len(digits) == 4 {
		return // the usual formats read four digits as a year
	}
	looks, layout := "", ""
	switch len(digits) {
	case 4:
		looks, layout = "a year", "2006"
	case 6:
		looks, layout = "a month", "200601"
	case 8:
		looks, layout = "a day", "20060102"
	case 10:
		looks = "a number of seconds"
	default:
		return
	}
	if layout != "" {
		if t, err := time.Parse(layout, digits); err != nil || t.Year() < 1900 || t.Year() > 2100 {
			return
		}
	}
	c.report(ErrInvalidLiteral, nil,
		"%s looks like %s, but the date %s reads it as milliseconds since 1970; write the date%s",
		digits, looks, quoted(f.Path), such(formats))
}

// such returns an example for a message.
func such(formats []string) string {
	for _, format := range formats {
		if example := dateExample(format); example != "" {
			return ", such as " + strconv.Quote(example)
		}
	}
	return ""
}

func isDigits(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return r < '0' || r > '9' })
}

// namedLayouts are the named formats in which bounds can be read, as layouts of
// package time.
var namedLayouts = map[string]string{
	"strict_date_optional_time": time.RFC3339, "date_optional_time": time.RFC3339, "iso8601": time.RFC3339,
	"strict_date_optional_time_nanos": time.RFC3339,
	"strict_date_time_no_millis":      time.RFC3339, "date_time_no_millis": time.RFC3339,
	"strict_date_time": "2006-01-02T15:04:05.000Z07:00", "date_time": "2006-01-02T15:04:05.000Z07:00",
	"strict_date_hour_minute_second": "2006-01-02T15:04:05", "date_hour_minute_second": "2006-01-02T15:04:05",
	"strict_date": time.DateOnly, "date": time.DateOnly,
	"strict_year_month_day": time.DateOnly, "year_month_day": time.DateOnly,
	"strict_year_month": "2006-01", "year_month": "2006-01", "strict_year": "2006", "year": "2006",
	"basic_date": "20060102", "basic_date_time_no_millis": "20060102T150405Z07:00",
}

// patternParts translates the parts of a java.time pattern.
var patternParts = strings.NewReplacer(
	"'T'", "T", "'Z'", "Z", "yyyy", "2006", "uuuu", "2006", "yy", "06", "MMMM", "January", "MMM", "Jan",
	"MM", "01", "M", "1", "dd", "02", "d", "2", "HH", "15", "H", "15", "hh", "03", "h", "3", "mm", "04", "ss", "05",
	"SSS", "000", "XXX", "Z07:00", "XX", "Z0700", "X", "Z07", "xxx", "-07:00", "Z", "-0700",
	"EEEE", "Monday", "EEE", "Mon", "a", "PM")

// layoutOf returns the layout of a format; empty: it is not known.
func layoutOf(format string) string {
	if layout := namedLayouts[format]; layout != "" {
		return layout
	}
	if strings.ContainsAny(format, "_[") || strings.HasPrefix(format, "epoch") {
		return ""
	}
	return patternParts.Replace(strings.TrimPrefix(format, "8"))
}

// dateExample returns noon of the last day of January 2024 in the format; empty:
// the format is not known.
func dateExample(format string) string {
	at := time.Date(2024, 1, 31, 12, 0, 0, 0, time.UTC)
	switch format {
	case "epoch_millis":
		return strconv.FormatInt(at.UnixMilli(), 10)
	case "epoch_second":
		return strconv.FormatInt(at.Unix(), 10)
	}
	layout := layoutOf(format)
	if layout == "" {
		return ""
	}
	example := at.Format(layout)
	if _, err := time.Parse(layout, example); err != nil || strings.Contains(example, "'") {
		return ""
	}
	return example
}

// looseLayouts are the layouts of the formats with an optional time, which are the
// default of dates.
var looseLayouts = []string{
	time.DateOnly, time.RFC3339Nano, "2006-01-02T15:04:05.999", "2006-01-02T15:04", "2006-01", "2006",
}

// readDate returns the milliseconds since 1970 of a date in the first of the
// formats that reads it. It is not ok if an engine could read another date.
func readDate(text string, formats []string) (millis float64, ok bool) {
	if len(formats) == 0 {
		formats = []string{"strict_date_optional_time", "epoch_millis"}
	}
	for _, format := range formats {
		layouts, certain := certainLayouts(format)
		if !certain {
			return 0, false
		}
		if factor := map[string]float64{"epoch_millis": 1, "epoch_second": 1000}[format]; factor != 0 {
			if n, err := strconv.ParseInt(text, 10, 64); err == nil {
				return float64(n) * factor, true
			}
		}
		for _, layout := range layouts {
			if t, err := time.Parse(layout, text); err == nil {
				// Engines read two digits of a year as one from 2000 to 2099.
				return float64(t.UnixMilli()), t.Year() >= 2000 || !strings.Contains(strings.ReplaceAll(layout, "2006", ""), "06")
			}
		}
		if namedLayouts[format] != "" && !strings.HasPrefix(format, "strict_") && isDigits(text) && len(text) != 4 {
			return 0, false // a year of another length
		}
	}
	return 0, false
}

// certainLayouts returns the layouts of a format that engines and package time
// read alike.
func certainLayouts(format string) (layouts []string, ok bool) {
	switch format {
	case "epoch_millis", "epoch_second":
		return nil, true
	case "strict_date_optional_time", "strict_date_optional_time_nanos", "date_optional_time", "iso8601":
		return looseLayouts, true
	}
	layout := layoutOf(format)
	return []string{layout}, layout != "" && (namedLayouts[format] != "" || plainPattern(strings.TrimPrefix(format, "8")))
}

// plainPattern reports whether a java.time pattern has a year and consists only of
// parts that patternParts translates.
func plainPattern(pattern string) bool {
	pattern = strings.NewReplacer("'T'", " ", "'Z'", " ").Replace(pattern)
	year := false
	for i := 0; i < len(pattern); {
		end := i + 1
		if !strings.Contains(" -/.,:", pattern[i:end]) {
			for end < len(pattern) && pattern[end] == pattern[i] {
				end++
			}
			if !patternPart[pattern[i:end]] {
				return false
			}
		}
		year = year || pattern[i] == 'y' || pattern[i] == 'u'
		i = end
	}
	return year
}

// patternPart are the parts that patternParts translates.
var patternPart = setOfNames(`yyyy uuuu yy MMMM MMM MM M dd d HH H hh h mm ss SSS XXX XX X xxx Z EEEE EEE a`)

// dateFormat reports a pattern that prints or reads another date than it seems.
func (c *checker) dateFormat(v *value) {
	for pattern := range strings.SplitSeq(v.text, "||") {
		letters := unquotedLetters(pattern)
		switch {
		case strings.Contains(pattern, "_"): // a named format
		case letters == "":
			c.report(ErrInvalidLiteral, nil, "the date format %s prints the same text for every date", quoted(pattern))
			return
		case strings.Contains(letters, "Y") && !strings.Contains(letters, "w"):
			c.report(ErrInvalidLiteral, []string{strings.ReplaceAll(strings.ReplaceAll(v.text, "Y", "y"), "D", "d")},
				"in the date format %s Y is the year of the week, which differs around New Year; the year is y", quoted(pattern))
			return
		case strings.Contains(letters, "D") && strings.Contains(letters, "M"):
			c.report(ErrInvalidLiteral, []string{strings.ReplaceAll(v.text, "D", "d")},
				"in the date format %s D is the day of the year; the day of the month is d", quoted(pattern))
			return
		}
	}
}

// unquotedLetters returns the letters of a pattern outside of its quotes.
func unquotedLetters(pattern string) string {
	var b strings.Builder
	inside := false
	for i := range len(pattern) {
		c := pattern[i]
		if c == '\'' {
			inside = !inside
		} else if !inside && c|0x20 >= 'a' && c|0x20 <= 'z' {
			b.WriteByte(c)
		}
	}
	return b.String()
}
