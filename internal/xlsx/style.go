package xlsx

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// A style says what a number of a cell is.
type style struct {
	kind styleKind
	unit string // what stands with the number, such as a currency
}

type styleKind int

const (
	plain    styleKind = iota
	dated              // a date, with the time of the day or without
	clock              // the time of a day
	elapsed            // a duration, whose hours may be more than 24
	percents           // hundredths
)

func (w *Workbook) readStyles(name string) error {
	var sheet struct {
		Formats []struct {
			ID   int    `xml:"numFmtId,attr"`
			Code string `xml:"formatCode,attr"`
		} `xml:"numFmts>numFmt"`
		Cells []struct {
			Format int `xml:"numFmtId,attr"`
		} `xml:"cellXfs>xf"`
	}
	if err := w.decode(name, &sheet); err != nil {
		return err
	}
	codes := map[int]string{}
	for _, f := range sheet.Formats {
		codes[f.ID] = f.Code
	}
	styles := map[int]style{}
	for _, c := range sheet.Cells {
		if _, ok := styles[c.Format]; !ok {
			code, own := codes[c.Format]
			if !own {
				code = builtIn(c.Format)
			}
			styles[c.Format] = styleOf(code)
		}
		w.styles = append(w.styles, styles[c.Format])
	}
	return nil
}

// builtIn returns the format of a number that files do not spell, with the meaning that it
// has in every language.
func builtIn(id int) string {
	switch {
	case id == 9, id == 10:
		return "0%"
	case id >= 18 && id <= 21, id >= 32 && id <= 35, id == 45, id == 47, id == 55, id == 56:
		return "h:mm"
	case id == 46:
		return "[h]:mm"
	case id >= 14 && id <= 22, id >= 27 && id <= 36, id >= 50 && id <= 58:
		return "yyyy-mm-dd"
	}
	return ""
}

var (
	elapsedPart  = regexp.MustCompile(`\[(h+|m+|s+)\]`)
	literalPart  = regexp.MustCompile(`"[^"]*"|\\.|_.|\*.|\[[^\]]*\]`)
	currencyPart = regexp.MustCompile(`\[\$([^\]-]*)[^\]]*\]|"([^"]+)"|([$€£¥])`)
	datePart     = regexp.MustCompile(`^[dmyhsapegb.0/:,\- ]*$`)
	fractionPart = regexp.MustCompile(`s\.0+`)
)

// styleOf returns what numbers are that have a format, such as dd.mm.yyyy.
func styleOf(code string) style {
	first, _, _ := strings.Cut(strings.ToLower(code), ";")
	hours := elapsedPart.MatchString(first)
	first = literalPart.ReplaceAllString(elapsedPart.ReplaceAllString(first, "$1"), "")
	if strings.Contains(first, "%") {
		return style{kind: percents, unit: "%"}
	}
	letters := fractionPart.ReplaceAllString(first, "s")
	if datePart.MatchString(letters) && !strings.Contains(letters, "0") && strings.ContainsAny(letters, "dmyhs") {
		switch {
		case hours:
			return style{kind: elapsed}
		case strings.ContainsAny(letters, "dy") || !strings.ContainsAny(letters, "hs"):
			return style{kind: dated}
		}
		return style{kind: clock}
	}
	for _, part := range currencyPart.FindAllStringSubmatch(code, -1) {
		if unit := strings.TrimSpace(part[1] + part[2] + part[3]); unit != "" {
			return style{unit: unit}
		}
	}
	return style{}
}

// percent returns a number as its format shows it, with the digits that Excel has.
func percent(v float64) string {
	const digits = 15
	v, _ = strconv.ParseFloat(strconv.FormatFloat(v*100, 'g', digits, 64), 64)
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// moment returns a date, a time or a duration. It returns false for a number that Excel cannot
// show as one. noDate is true for what is no date.
func (w *Workbook) moment(serial float64, kind styleKind) (text string, noDate, ok bool) {
	const day = 24 * 60 * 60 * 1000
	const end, since1904 = 2958466, 1462 // the year 10000, and the days from 1900 to 1904
	if !(serial >= 0 && serial < end) || w.date1904 && serial >= end-since1904 {
		return "", false, false
	}
	ms := int64(math.Round(serial * day))
	if kind == elapsed || ms < day && (kind == clock || !w.date1904) {
		return duration(ms), true, true
	}
	days := ms / day
	switch { // Excel has a 29 February 1900, which did not exist
	case w.date1904:
		days += since1904
	case days == 60:
		return "", false, false
	case days < 60:
		days++
	}
	at := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC).AddDate(0, 0, int(days))
	if ms %= day; ms == 0 {
		return at.Format(time.DateOnly), false, true
	}
	return at.Format(time.DateOnly) + " " + duration(ms), false, true
}

func duration(ms int64) string {
	text := fmt.Sprintf("%02d:%02d:%02d", ms/3_600_000, ms/60_000%60, ms/1000%60)
	if ms %= 1000; ms > 0 {
		text += fmt.Sprintf(".%03d", ms)
	}
	return text
}
