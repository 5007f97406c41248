package esquery

import (
	"strconv"
	"strings"
)

// dateLiteral notes where the engine would not take v as a date of that field, or
// would take it as another date than it seems. format is that of the body, which
// stands before those of the field; empty: there is none.
func (c *checker) dateLiteral(f *Field, v *value, format string) {
	formats := f.Formats
	if format != "" {
		formats = strings.Split(format, "||")
	}
	switch v.kind {
	case str:
		if math, ok := strings.CutPrefix(v.text, "now"); ok {
			c.dateMath(v.text, math)
			return
		}
		date, math, anchored := strings.Cut(v.text, "||")
		if c.date(f, date, formats) && anchored {
			c.dateMath(v.text, math)
		}
	case number:
		c.dateNumber(f, v.text, formats, format != "")
	default:
		c.report(InvalidLiteral, nil, "%s is a date, which %s is not%s", quoted(f.Path), v.kind, like(formats, f.locale))
	}
}

// dateNumber checks a number that stands for a date. With a format of the body it is
// read as if it were a string; without one Elasticsearch takes milliseconds whatever
// the format is, and OpenSearch what the format says.
func (c *checker) dateNumber(f *Field, text string, formats []string, own bool) {
	if own {
		c.date(f, text, formats)
		return
	}
	millis := len(formats) == 0
	for _, name := range formats {
		millis = millis || name == "epoch_millis" || !known(name, f.locale)
	}
	n, err := strconv.ParseInt(text, 10, 64) // engines do not read 1.7e12
	switch {
	case err != nil:
		c.report(InvalidLiteral, nil, "%s is no whole number of milliseconds, which the date %s needs%s", quoted(text), quoted(f.Path), like(formats, f.locale))
	case !millis:
		c.report(InvalidLiteral, nil, "%s is a date of the format %s, and engines read a number as different dates there; write it as a string%s",
			quoted(f.Path), quoted(strings.Join(formats, "||")), like(formats, f.locale))
	default:
		if c.misread(f, text, formats) {
			c.instant(f, text, float64(n))
		}
	}
}

// date notes a date that none of the formats has, and reports whether one has.
func (c *checker) date(f *Field, text string, formats []string) bool {
	if len(formats) == 0 {
		return true
	}
	unread := false
	for _, name := range formats {
		format := readFormat(name, f.locale)
		if !format.readable() {
			unread = true
			continue
		}
		read, ok := format.matches(text)
		if !ok {
			continue
		}
		switch format.epoch {
		case "epoch_millis":
			if unread {
				return true
			}
			if !c.misread(f, text, formats) {
				return false
			}
			n, _ := strconv.ParseFloat(text, 64)
			return c.instant(f, text, n)
		case "epoch_second":
			n, _ := strconv.ParseFloat(text, 64)
			return c.instant(f, text, n*1000)
		}
		return c.nanos(f, text, !read.known || read.year >= 1970 && read.year <= 2262)
	}
	if unread {
		return true
	}
	c.report(InvalidLiteral, nil, "%s is no date of the format %s of %s%s",
		quoted(text), quoted(strings.Join(formats, "||")), quoted(f.Path), like(formats, f.locale))
	return false
}

func known(name, locale string) bool {
	format := readFormat(name, locale)
	return format.readable()
}

// misread notes digits that would be read as milliseconds since 1970 and are, by
// their looks, a year, a month, a day, or seconds.
func (c *checker) misread(f *Field, digits string, formats []string) bool {
	looks := ""
	switch len(digits) {
	case 4:
		looks = "a year"
	case 6:
		looks = "a month"
	case 8:
		looks = "a day"
	case 10:
		looks = "a number of seconds"
	default:
		return true
	}
	if !isDigits(digits) {
		return true
	}
	year, _ := strconv.Atoi(digits[:4])
	month, day := 1, 1
	if len(digits) == 6 || len(digits) == 8 {
		month, _ = strconv.Atoi(digits[4:6])
	}
	if len(digits) == 8 {
		day, _ = strconv.Atoi(digits[6:])
	}
	if digits[0] == '0' || len(digits) < 10 && (year < 1900 || year > 2100 || month < 1 || month > 12 || day < 1 || day > 31) {
		return true
	}
	c.report(InvalidLiteral, nil, "%s looks like %s, and the date %s would read it as milliseconds since 1970; write the date%s",
		digits, looks, quoted(f.Path), like(formats, f.locale))
	return false
}

// instant is nanos for milliseconds since 1970.
func (c *checker) instant(f *Field, text string, millis float64) bool {
	return c.nanos(f, text, millis >= 0 && millis < 9223372036854)
}

// nanos notes what lies outside of the years that a date_nanos can have.
func (c *checker) nanos(f *Field, text string, within bool) bool {
	if f.Type != "date_nanos" || within {
		return true
	}
	c.report(InvalidLiteral, nil, "%s lies outside of 1970 to 2262, which is all that the date_nanos %s has", quoted(text), quoted(f.Path))
	return false
}

// like shows how a date is written by the first format that can be shown.
func like(formats []string, locale string) string {
	for _, name := range formats {
		format := readFormat(name, locale)
		if example := format.example(); example != "" {
			return ", such as " + strconv.Quote(example)
		}
	}
	return ""
}

// dateMath notes what is wrong after the anchor of text: any number of +1d, -2h or
// /M.
func (c *checker) dateMath(text, math string) {
	if !isDateMath(math) {
		c.report(InvalidLiteral, nil,
			"%s is no date math; after \"now\" or a date with || stand steps like +1d, -2h or /M, of the units y, M, w, d, h, m and s", quoted(text))
	}
}

func isDateMath(math string) bool {
	for i := 0; i < len(math); {
		op := math[i]
		if op != '+' && op != '-' && op != '/' {
			return false
		}
		i++
		from := i
		for i < len(math) && math[i] >= '0' && math[i] <= '9' {
			i++
		}
		if digits := math[from:i]; digits != "" {
			n, err := strconv.ParseInt(digits, 10, 32)
			if err != nil || op == '/' && n != 1 {
				return false
			}
		}
		if i == len(math) || strings.IndexByte("yMwdhHms", math[i]) < 0 {
			return false
		}
		i++
	}
	return true
}

// dateFormat notes where v is no format of dates, or one that prints another date
// than it seems.
func (c *checker) dateFormat(v *value) {
	if v.kind != str {
		c.report(Malformed, nil, "a date format must be a string, and is %s", v.kind)
		return
	}
	for name := range strings.SplitSeq(v.text, "||") {
		if _, ok := parsedFormats[name]; ok || unreadFormats[name] {
			continue
		}
		letters := unquotedLetters(name)
		switch {
		case letters == "" || strings.Trim(letters, "GuyDMLdQqYwWEecFaBhKkHmsSAnNVvzOXxZpg") != "":
			c.report(InvalidLiteral, nil, "%s is no date format: neither a named one such as strict_date, nor a pattern such as yyyy-MM-dd", quoted(name))
			return
		case strings.Contains(letters, "Y") && !strings.Contains(letters, "w"):
			c.report(InvalidLiteral, []string{strings.ReplaceAll(strings.ReplaceAll(v.text, "Y", "y"), "D", "d")},
				"in the date format %s the Y is the year of the week, which differs around New Year; the year is y", quoted(name))
			return
		case strings.Contains(letters, "D") && strings.Contains(letters, "M"):
			c.report(InvalidLiteral, []string{strings.ReplaceAll(v.text, "D", "d")},
				"in the date format %s the D is the day of the year; the day of the month is d", quoted(name))
			return
		}
	}
}

// unquotedLetters are those of a pattern that stand for a part of a date.
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

// calendarInterval notes where v is no calendar_interval: one unit of the calendar.
func (c *checker) calendarInterval(v *value) {
	if v.kind == str && calendarUnits[v.text] {
		return
	}
	if v.kind == str && isFixedInterval(v.text) {
		c.report(InvalidLiteral, nil, "calendar_interval takes one unit, such as 1d; %s is a fixed_interval", quoted(v.text))
		return
	}
	c.report(InvalidLiteral, calendarCandidates, "%s is no calendar_interval, which is one unit", quoted(v.text))
}

var (
	calendarUnits      = namedSet("second 1s minute 1m hour 1h day 1d week 1w month 1M quarter 1q year 1y")
	calendarCandidates = []string{"minute", "hour", "day", "week", "month", "quarter", "year"}
)

// fixedInterval notes where v is no fixed_interval: a number of ms, s, m, h or d.
func (c *checker) fixedInterval(v *value) {
	if v.kind == str && isFixedInterval(v.text) {
		return
	}
	if v.kind == str && calendarUnits[v.text] {
		c.report(InvalidLiteral, nil, "%s is a calendar_interval; a fixed_interval is a number of ms, s, m, h or d", quoted(v.text))
		return
	}
	c.report(InvalidLiteral, nil, "%s is no fixed_interval, which is a number of ms, s, m, h or d, such as 30m", quoted(v.text))
}

func isFixedInterval(s string) bool {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	if n == 0 || n > 15 || strings.Trim(s[:n], "0") == "" {
		return false
	}
	switch s[n:] {
	case "ms", "s", "m", "h", "d":
		return true
	}
	return false
}

// dateOffset notes where v is no offset of a date histogram: a time with a sign or
// without.
func (c *checker) dateOffset(v *value) {
	if v.kind == number || v.kind == str && (isFixedInterval(strings.TrimLeft(v.text, "+-")) || strings.Trim(v.text, "+-0") == "") {
		return
	}
	c.report(InvalidLiteral, nil, "%s is no offset, such as +6h or -1d", quoted(v.text))
}
