package esquery

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/qedkit/qed/internal/wordset"
)

// date reports a text that is no date of the field, and digits that the engine reads as
// another date than they look like: Elasticsearch finds nothing by the first in an empty
// index, and both engines find the wrong documents by the second. It completes a month
// or a year. format is the format in the body, which replaces those of the field; empty
// means that the body has none.
func (c *checker) date(f *Field, v *value, use literalUse, format string) {
	formats := f.Formats
	if format != "" {
		formats = strings.Split(format, "||")
	}
	before := c.faults
	c.digits(f, v, format, formats)
	millis := v.kind == number && format == "" // read as such, whatever the format is
	if c.faults > before || len(formats) == 0 || millis && isDigits(strings.TrimPrefix(v.text, "-")) {
		return
	}
	base, math, anchored := strings.Cut(v.text, "||")
	as := aDay
	if rest, ok := strings.CutPrefix(v.text, "now"); ok {
		anchored, math = true, rest
	} else {
		_, as = readDate(base, formats)
	}
	_, computed := dateMath(math)
	switch {
	case v.kind == boolean, millis, as == unreadable:
		c.report(ErrInvalidLiteral, nil, "%s is not a date of the format %s, which %s has here; write it%s",
			quoted(v.text), quoted(strings.Join(formats, "||")), quoted(f.Path), such(formats))
	case !computed:
		c.report(ErrInvalidLiteral, nil,
			"%s is not date math, which is now or a date with ||, followed by steps such as -7d, +1M and /d: "+
				"the units are y, M, w, d, h, m and s", quoted(v.text))
	case as == aMonth && !anchored:
		c.wholePeriod(f, v, use, "a month", "||/M")
	case as == aYear && !anchored:
		c.wholePeriod(f, v, use, "a year", "||/y")
	}
}

// wholePeriod completes a month or a year, of which engines use the first day alone.
func (c *checker) wholePeriod(f *Field, v *value, use literalUse, what, rounding string) {
	switch use {
	case exactLiteral, endLiteral:
		c.fixed(ErrInvalidLiteral, v.text+rounding, "%s is %s, and engines read it as its first day", quoted(v.text), what)
		*v = stringValue(v.text + rounding)
	case sharedLiteral:
		c.report(ErrInvalidLiteral, []string{"range"},
			"%s is %s, and engines read it as its first day; search %s with a range", quoted(v.text), what, quoted(f.Path))
	}
}

// digits reports digits that the engine reads as another date than they look like.
func (c *checker) digits(f *Field, v *value, format string, formats []string) {
	digits, _, _ := strings.Cut(v.text, "||")
	if !isDigits(digits) {
		return
	}
	millis := slices.Contains(formats, "epoch_millis")
	short := len(digits) >= 4 && len(digits) <= 10 && digits[0] != '0' // a year, a month, a day or seconds
	var wrong bool
	if v.kind == str || format != "" { // with a format of its own, a number is read like a string
		tooLong := !millis && slices.Contains(formats, "epoch_second") && len(digits) > len("99999999999")
		wrong = tooLong || millis && short && len(digits) != 4 && !slices.ContainsFunc(formats, readsDigits)
	} else {
		// Elasticsearch reads milliseconds whatever the format is, OpenSearch what
		// the format says.
		wrong = short || len(formats) > 0 && !millis
	}
	if wrong {
		c.report(ErrInvalidLiteral, nil,
			"%s is read by %s as another date than it looks like, such as milliseconds since 1970, or differently by engines; write the date%s",
			digits, quoted(f.Path), such(formats))
	}
}

// readsDigits reports whether a format can read a date without separators.
func readsDigits(format string) bool {
	return format == "epoch_second" || strings.HasPrefix(format, "basic_") ||
		!strings.ContainsFunc(format, func(r rune) bool { return r|0x20 < 'a' || r|0x20 > 'z' })
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
	"strict_date_time_no_millis": time.RFC3339, "date_time_no_millis": time.RFC3339,
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
	switch layouts, _ := certainLayouts(format); len(layouts) {
	case 0:
		return ""
	case 1:
		return at.Format(layouts[0])
	}
	return at.Format(time.RFC3339)
}

// looseLayouts are the layouts of the formats with an optional time, which are the
// default of dates.
var looseLayouts = func() []string {
	layouts := []string{time.DateOnly, "2006-01", "2006"}
	for _, clock := range []string{"15", "15:04", "15:04:05"} { // a fraction is read after seconds
		for _, zone := range []string{"", "Z07:00", "Z0700", "Z07"} {
			layouts = append(layouts, "2006-01-02T"+clock+zone)
		}
	}
	return layouts
}()

// A dateReading is how a text is read as a date.
type dateReading uint8

const (
	uncertain  dateReading = iota // an engine could read another date than package time, or one that it does not read
	unreadable                    // no format reads it
	aYear                         // without a month
	aMonth                        // without a day
	aDay
)

// readDate returns the milliseconds since 1970 of a date in the first of the formats
// that reads it. They are certain for a year, a month and a day.
func readDate(text string, formats []string) (millis float64, as dateReading) {
	if len(formats) == 0 {
		formats = []string{"strict_date_optional_time", "epoch_millis"}
	}
	as = unreadable
	for _, format := range formats {
		layouts, certain := certainLayouts(format)
		if !certain {
			return 0, uncertain
		}
		if factor := map[string]float64{"epoch_millis": 1, "epoch_second": 1000}[format]; factor != 0 {
			if n, err := strconv.ParseFloat(text, 64); err == nil && isDigits(strings.Trim(text, "-.")) {
				return n * factor, aDay
			}
		}
		for _, layout := range layouts {
			t, err := time.Parse(layout, text)
			switch {
			case err != nil:
			case t.Year() < 2000 && strings.Contains(strings.ReplaceAll(layout, "2006", ""), "06"):
				return 0, uncertain // engines read two digits of a year as one from 2000 to 2099
			default:
				return float64(t.UnixMilli()), partsOf(layout)
			}
			if strings.ContainsAny(layout, "JP") || strings.Contains(layout, "Mon") {
				as = uncertain // names in the language of the field
			}
		}
		if format == "date_optional_time" || namedLayouts[format] != "" && !strings.HasPrefix(format, "strict_") {
			as = uncertain // other numbers of digits
		}
	}
	return 0, as
}

// partsOf returns whether a layout has a day, or only a month or a year.
func partsOf(layout string) dateReading {
	first := time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC)
	switch text := first.Format(layout); {
	case text != first.AddDate(0, 0, 1).Format(layout):
		return aDay
	case text != first.AddDate(0, 1, 0).Format(layout):
		return aMonth
	}
	return aYear
}

// certainLayouts returns the layouts of a format that engines and package time
// read alike.
func certainLayouts(format string) (layouts []string, ok bool) {
	switch pattern := strings.TrimPrefix(format, "8"); {
	case format == "epoch_millis", format == "epoch_second":
		return nil, true
	case strings.HasSuffix(format, "date_optional_time"), format == "strict_date_optional_time_nanos", format == "iso8601":
		return looseLayouts, true
	case namedLayouts[format] != "":
		return []string{namedLayouts[format]}, true
	case soundFormat(pattern, true):
		return []string{patternParts.Replace(pattern)}, true
	}
	return nil, false
}

// dateFormat reports a format that prints or reads another date than it seems, and one
// of which that is not known. reads means that dates are read with it.
func (c *checker) dateFormat(v *value, reads bool) {
	for format := range strings.SplitSeq(v.text, "||") {
		named := strings.Contains(format, "_") || namedFormat[format]
		if named && !(reads && timeAlone.MatchString(format)) || !named && soundFormat(strings.TrimPrefix(format, "8"), reads) {
			continue
		}
		c.report(ErrInvalidLiteral, []string{"yyyy-MM-dd", "yyyy-MM-dd HH:mm:ss"},
			"the date format %s is refused, because engines could read or print another date with it. The parts are yyyy, MM, dd, HH, mm and "+
				"ss, each at most once and without one that is missing between two others. A format in which dates are read has the year: "+
				"engines take a part that is missing from 1970", quoted(format))
		return
	}
}

// soundFormat reports whether a java.time pattern has only parts that patternParts translates,
// each once, from the first to the last of them, which begin with the hour at the latest, and
// with the year if it reads dates.
func soundFormat(pattern string, reads bool) bool {
	pattern = strings.NewReplacer("'T'", " ", "'Z'", " ").Replace(pattern)
	parts := patternPart.FindAllString(pattern, -1)
	if len(parts) == 0 || strings.Trim(patternPart.ReplaceAllString(pattern, ""), " -/.,:") != "" {
		return !reads && weekOrQuarter.MatchString(pattern)
	}
	count := map[string]int{}
	for _, part := range parts {
		letter := part[len(part)-1:]
		if count[letter]++; count[letter] > 1 {
			return false
		}
	}
	count["y"] += count["u"]
	count["H"] += count["h"]
	order := ""
	for _, letter := range strings.Split(sequence, "") {
		order += strings.Repeat(letter, count[letter])
	}
	first := strings.Index(sequence, order)
	return first >= 0 && first <= strings.Index(sequence, "H") && (count["y"] > 0 || !reads) && count["h"] == count["a"]
}

// sequence are the parts of a date in their order. A weekday and a zone can be anywhere.
const sequence = "yMdHmsS"

var (
	namedFormat = wordset.Of(`date time hour year weekyear iso8601`)
	timeAlone   = regexp.MustCompile(`^(strict_)?(basic_)?(t_)?(time|hour)`)
	// Package time reads a fraction only after a point or comma.
	patternPart   = regexp.MustCompile(`yyyy|uuuu|yy|M{1,4}|dd?|HH?|hh?|mm|ss|[.,]SSS|X{1,3}|xxx|Z|E{3,4}|a`)
	weekOrQuarter = regexp.MustCompile(`^(?:(?:YYYY|xxxx)-?'W'ww|yyyy[- ]?(?:'Q'q|QQQ)|(?:'Q'q|QQQ) yyyy)$`)
)
