package integration_test

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"

	"github.com/qedkit/qed/analyst/tabular"
	"github.com/qedkit/qed/internal/xlsx/xlsxtest"
)

// A corpusFile is a file and what a person reads in it.
type corpusFile struct {
	name, ending, text string
	want               [][]any    // int64, float64, time.Time, string, or nil
	written            [][]string // the cells as the file spells them
}

// A locale is how people of a country write.
type locale struct {
	name           string
	decimal, group string
	amount         string // with %s for the number
	days           []string
	months         string // separated by blanks, or "" for those in English
}

var locales = []locale{
	{"a program", ".", "", "%s", []string{"2006-01-02", "2006-01-02 15:04:05", "2006-01-02T15:04:05Z"}, ""},
	{"United States", ".", ",", "$%s", []string{"01/02/2006", "1/2/06", "Jan 2, 2006", "1/2/2006 3:04 PM"}, ""},
	{"United Kingdom", ".", ",", "£%s", []string{"02/01/2006", "02/01/06", "2 January 2006", "2-Jan-06"}, ""},
	{"Germany", ",", ".", "%s €", []string{"02.01.2006", "2.1.06", "2. January 2006", "02.01.2006 15:04"}, "Januar Februar März April Mai Juni Juli August September Oktober November Dezember"},
	{"France", ",", "\u202f", "%s €", []string{"02/01/2006", "02/01/06", "2 January 2006"}, "janvier février mars avril mai juin juillet août septembre octobre novembre décembre"},
	{"Spain", ",", ".", "%s €", []string{"02/01/2006", "2-1-2006", "2 de January de 2006"}, "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre"},
	{"Switzerland", ".", "’", "CHF %s", []string{"02.01.2006", "2.1.2006", "02.01.06"}, ""},
	{"India", ".", "in", "₹%s", []string{"02-01-2006", "02/01/2006", "2-Jan-2006"}, ""},
	{"Sweden", ",", "\u00a0", "%s kr", []string{"2006-01-02", "2006-01-02 15:04", "2006/01/02"}, ""},
}

// number writes a number with a fixed number of decimals.
func (l locale) number(v float64, decimals int, grouped bool) string {
	whole, fraction, _ := strings.Cut(strconv.FormatFloat(max(v, -v), 'f', decimals, 64), ".")
	if grouped && l.group != "" {
		group, size := l.group, 3
		if group == "in" {
			group = ","
		}
		for at := len(whole) - 3; at > 0; at -= size {
			whole = whole[:at] + group + whole[at:]
			if l.group == "in" {
				size = 2
			}
		}
	}
	if fraction != "" {
		whole += l.decimal + fraction
	}
	if v < 0 {
		return "-" + whole
	}
	return whole
}

func (l locale) day(at time.Time, layout string) string {
	text := at.Format(layout)
	if l.months != "" {
		text = strings.Replace(text, at.Format("January"), strings.Fields(l.months)[at.Month()-1], 1)
	}
	return text
}

// corpusNames are words by encoding.
var corpusNames = []struct{ encoding, words string }{
	{"utf-8", "Müller José 東京 Łódź Åsa"},
	{"utf-8 with a mark", "Größe Žižek Ωmega Élan Ñandú"},
	{"utf-16", "Müller 北京 Łódź Åsa José"},
	{"windows-1252", "Müller José Größe Köln Besançon"},
	{"windows-1250", "Łukasz Łódź Gdańsk Kraków Zażółć"},
	{"windows-1251", "Москва Казань Ольга Пётр Новосибирск"},
	{"macintosh", "Müller Köln Düsseldorf Jäger München"},
	{"shift_jis", "東京さん 大阪の町 鈴木さん 名古屋の人 サトウ"},
	{"gbk", "北京 上海 广州 王伟 李娜"},
}

// encoded returns a text in an encoding, or in UTF-8 if the encoding lacks a character.
func encoded(t *testing.T, text, name string) string {
	switch name {
	case "utf-8":
		return text
	case "utf-8 with a mark":
		return "\ufeff" + text
	case "utf-16":
		out, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String(text)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	e, err := htmlindex.Get(name)
	if err != nil {
		t.Fatal(err)
	}
	if out, err := e.NewEncoder().String(text); err == nil {
		return out
	}
	return text
}

// A record is a row of a table: a number, a day, an amount, a rate, a count, a code, a name.
type record struct {
	id     int
	at     time.Time
	amount float64
	rate   float64
	count  int
	code   string
	name   string
}

func records(rng *rand.Rand, names string, small bool) []record {
	words := strings.Fields(names)
	var list []record
	for i := range 6 {
		day := 1 + rng.IntN(28)
		if small {
			day = 1 + rng.IntN(12)
		}
		list = append(list, record{
			id: 1 + i, at: time.Date(2019+rng.IntN(8), time.Month(1+rng.IntN(12)), day, rng.IntN(24), rng.IntN(60), 0, 0, time.UTC),
			amount: float64(rng.IntN(90_000_000)-20_000_000) / 100, rate: float64(1000+rng.IntN(9000)) / 1000,
			count: rng.IntN(5000), code: fmt.Sprintf("0%03d", rng.IntN(999)), name: words[i%len(words)],
		})
	}
	return list
}

// truncated returns a time with what a layout shows of it.
func truncated(at time.Time, layout string) time.Time {
	if strings.Contains(layout, ":") {
		return at
	}
	return at.Truncate(24 * time.Hour)
}

var corpusHeader = []string{"id", "day", "amount", "rate", "count", "code", "name"}

// corpusCSV returns a file of CSV.
func corpusCSV(t *testing.T, i int) corpusFile {
	rng := rand.New(rand.NewPCG(uint64(i), 1))
	l := locales[i%len(locales)]
	layout := l.days[i/len(locales)%len(l.days)]
	separator := []rune{',', ';', '\t', '|'}[rng.IntN(4)]
	shape := []string{"plain", "plain", "no header", "a title", "units", "two lines", "sep=", "a total", "repeated"}[rng.IntN(9)]
	words := corpusNames[rng.IntN(len(corpusNames))]
	grouped, money := rng.IntN(2) == 0, rng.IntN(2) == 0
	f := corpusFile{ending: ".csv",
		name: fmt.Sprintf("%d CSV of %s, %q, %q, %s, %s, grouped %t, money %t", i, l.name, layout, separator, shape, words.encoding, grouped, money)}
	for _, r := range records(rng, words.words, rng.IntN(3) == 0) {
		amount := l.number(r.amount, 2, grouped)
		if money {
			amount = strings.Replace(fmt.Sprintf(l.amount, strings.TrimPrefix(amount, "-")), "", map[bool]string{true: "-"}[r.amount < 0], 1)
		}
		f.written = append(f.written, []string{strconv.Itoa(r.id), l.day(r.at, layout), amount, l.number(r.rate, 3, false), l.number(float64(r.count), 0, grouped), r.code, r.name})
		f.want = append(f.want, []any{int64(r.id), truncated(r.at, layout), r.amount, r.rate, int64(r.count), r.code, r.name})
	}
	lines := slices.Clone(f.written)
	above := ""
	switch shape {
	case "plain":
		lines = slices.Insert(lines, 0, corpusHeader)
	case "a title":
		above = "Report 2026\r\n\r\n"
		lines = slices.Insert(lines, 0, corpusHeader)
	case "units":
		lines = slices.Insert(lines, 0, corpusHeader, []string{"-", "-", "EUR", "%", "pcs", "-", "-"})
	case "two lines":
		lines = slices.Insert(lines, 0, []string{"order", "", "money", "", "", "item", ""}, corpusHeader)
	case "sep=":
		above = "sep=" + string(separator) + "\r\n"
		lines = slices.Insert(lines, 0, corpusHeader)
	case "a total":
		total := []string{"Total", "", l.number(1, 2, false), "", "", "", ""}
		lines = append(slices.Insert(lines, 0, corpusHeader), total)
		f.written = append(f.written, total)
		f.want = append(f.want, []any{"Total", nil, 1.0, nil, nil, nil, nil})
	case "repeated":
		lines = slices.Insert(slices.Insert(lines, 3, corpusHeader), 0, corpusHeader)
	}
	var text strings.Builder
	w := csv.NewWriter(&text)
	w.Comma, w.UseCRLF = separator, rng.IntN(2) == 0
	if err := w.WriteAll(lines); err != nil {
		t.Fatal(err)
	}
	f.text = encoded(t, above+text.String(), words.encoding)
	return f
}

// corpusJSON returns a file of JSON.
func corpusJSON(i int) corpusFile {
	rng := rand.New(rand.NewPCG(uint64(i), 2))
	shape := []string{"an array", "lines", "a wrapper", "nested", "MongoDB", "texts", "GeoJSON", "keys in other orders"}[i%8]
	l := locales[i/8%len(locales)]
	f := corpusFile{name: fmt.Sprintf("%d JSON, %s, %s", i, shape, l.name), ending: ".json"}
	quote := func(s string) string { b, _ := json.Marshal(s); return string(b) }
	var objects []string
	for _, r := range records(rng, corpusNames[0].words, false) {
		amount, rate, count := strconv.FormatFloat(r.amount, 'f', -1, 64), strconv.FormatFloat(r.rate, 'f', -1, 64), strconv.Itoa(r.count)
		day, written := quote(r.at.Format(time.RFC3339)), r.at.Format(time.RFC3339)
		at := r.at
		switch shape {
		case "MongoDB":
			day, written = fmt.Sprintf(`{"$date":{"$numberLong":"%d"}}`, at.UnixMilli()), at.Format("2006-01-02T15:04:05.000Z")
			amount, count = `{"$numberDecimal":"`+amount+`"}`, `{"$numberInt":"`+count+`"}`
		case "texts":
			amount, rate, count = quote(l.number(r.amount, 2, true)), quote(l.number(r.rate, 3, false)), quote(count)
			written = l.day(at, l.days[0])
			day, at = quote(written), truncated(at, l.days[0])
		}
		plain := func(s string) string { s, _ = strconv.Unquote(s); return s }
		f.written = append(f.written, []string{strconv.Itoa(r.id), written, plain(amount), plain(rate), count, r.code, r.name})
		f.want = append(f.want, []any{int64(r.id), at, r.amount, r.rate, int64(r.count), r.code, r.name})
		object := fmt.Sprintf(`{"id":%d,"day":%s,"amount":%s,"rate":%s,"count":%s,"code":%q,"name":%s}`, r.id, day, amount, rate, count, r.code, quote(r.name))
		switch {
		case shape == "nested":
			object = fmt.Sprintf(`{"id":%d,"day":%s,"money":{"amount":%s,"rate":%s},"item":{"count":%s,"of":{"code":%q,"name":%s}}}`, r.id, day, amount, rate, count, r.code, quote(r.name))
		case shape == "GeoJSON":
			object = `{"properties":` + object + `}`
		case shape == "keys in other orders" && len(objects)%2 == 1:
			object = fmt.Sprintf(`{"name":%s,"code":%q,"count":%s,"rate":%s,"amount":%s,"day":%s,"id":%d}`, quote(r.name), r.code, count, rate, amount, day, r.id)
		}
		objects = append(objects, object)
	}
	f.text = "[" + strings.Join(objects, ",\n") + "]"
	switch shape {
	case "lines":
		f.ending = ".ndjson"
		f.text = strings.Join(objects, "\n") + "\n"
	case "a wrapper":
		f.text = `{"status":"ok","page":{"n":1},"data":{"items":` + f.text + `},"next":null}`
	case "GeoJSON":
		f.text = `{"type":"FeatureCollection","features":` + f.text + `}`
	}
	return f
}

// corpusExcel returns a file of Excel.
func corpusExcel(i int) corpusFile {
	rng := rand.New(rand.NewPCG(uint64(i), 3))
	shape := []string{"plain", "a title", "two lines", "no header", "a total", "an offset"}[i%6]
	old, clock, texts := i%2 == 1, i/2%2 == 1, i%7 == 6
	f := corpusFile{name: fmt.Sprintf("%d Excel, %s, 1904 %t, times %t, texts %t", i, shape, old, clock, texts), ending: ".xlsx"}
	epoch := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	if old {
		epoch = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	num := func(v float64, style int) string {
		return xlsxtest.Number(strconv.FormatFloat(v, 'g', -1, 64), style)
	}
	l := locales[i%len(locales)]
	var rows []string
	for _, r := range records(rng, corpusNames[0].words, false) {
		style, layout := xlsxtest.Day, time.DateOnly
		if clock {
			style, layout = xlsxtest.Moment, time.DateTime
		}
		at := truncated(r.at, layout)
		amount := num(r.amount, xlsxtest.Euro)
		if texts {
			amount = xlsxtest.Text(l.number(r.amount, 2, true))
		}
		rows = append(rows, xlsxtest.Row(num(float64(r.id), 0), num(at.Sub(epoch).Hours()/24, style), amount,
			num(r.rate/100, xlsxtest.Percent), num(float64(r.count), xlsxtest.Thousands), r.code, r.name))
		f.written = append(f.written, []string{strconv.Itoa(r.id), at.Format(layout), l.number(r.amount, 2, true), "", strconv.Itoa(r.count), r.code, r.name})
		f.want = append(f.want, []any{int64(r.id), at, r.amount, r.rate, int64(r.count), r.code, r.name})
	}
	header := xlsxtest.Row(corpusHeader...)
	sheet := xlsxtest.Sheet{Name: "Data"}
	switch shape {
	case "plain":
		rows = slices.Insert(rows, 0, header)
	case "a title":
		rows = slices.Insert(rows, 0, xlsxtest.Row("Report"), "<row/>", header)
	case "two lines":
		rows = slices.Insert(rows, 0, xlsxtest.Row("order", "", "money", "", "", "item", ""), header)
		sheet.After = `<mergeCells><mergeCell ref="F1:G1"/></mergeCells>`
	case "a total":
		rows = append(slices.Insert(rows, 0, header), xlsxtest.Row("Total", "", num(1, xlsxtest.Euro)))
		f.written = append(f.written, []string{"Total", "", "1", "", "", "", ""})
		f.want = append(f.want, []any{"Total", nil, 1.0, nil, nil, nil, nil})
	case "an offset":
		rows = slices.Insert(rows, 0, `<row r="4"><c r="C4" t="str"><v>id</v></c>`+strings.TrimPrefix(xlsxtest.Row(corpusHeader[1:]...), "<row>"))
		for i := 1; i < len(rows); i++ {
			rows[i] = strings.Replace(rows[i], "<c ", fmt.Sprintf(`<c r="C%d" `, i+4), 1)
		}
	}
	sheet.Rows = strings.Join(rows, "")
	f.text = string(xlsxtest.Zip(xlsxtest.Parts(old, nil, sheet, xlsxtest.Sheet{Name: "Notes", Rows: xlsxtest.Row("x")})))
	return f
}

// TestFileCorpus loads 300 files in both databases. Each cell is what a person reads, or its column
// is text with a warning.
func TestFileCorpus(t *testing.T) {
	var files []corpusFile
	for i := range 216 {
		files = append(files, corpusCSV(t, i))
	}
	for i := range 42 {
		files = append(files, corpusJSON(i), corpusExcel(i))
	}
	for i := range files {
		if i%3 == 0 {
			files[i].name += ", .gz"
		}
	}
	columns, decided, left := 0, 0, map[tabular.WarningKind]int{}
	dir := t.TempDir()
	for _, f := range files {
		t.Run(f.name, func(t *testing.T) {
			path, text := filepath.Join(dir, "x"+f.ending), f.text
			if strings.HasSuffix(f.name, ", .gz") {
				path, text = path+".gz", zipped(t, text)
			}
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			report, rows := loadInBoth(t, path)
			if len(rows) != len(f.want) || len(report.Columns) != len(corpusHeader) {
				t.Fatalf("%d rows and %d columns\n%s\n%v", len(rows), len(report.Columns), f.text, report.Warnings)
			}
			for at, c := range report.Columns {
				columns++
				warned := slices.IndexFunc(report.Warnings, func(w tabular.Warning) bool { return w.Column == c.Name && w.Kind != tabular.Header })
				typed := c.Type != tabular.Text
				for r := range rows {
					_, isText := f.want[r][at].(string)
					typed = typed || isText && r == 0
				}
				if typed {
					decided++
				} else if warned >= 0 {
					left[report.Warnings[warned].Kind]++
				}
				for r := range rows {
					got, want := rows[r][at], f.want[r][at]
					if text := f.written[r][at]; !typed && warned >= 0 && want != nil && (f.ending == ".xlsx" || got == text || isSameTime(got, text)) {
						continue
					}
					if !sameValue(got, want) {
						t.Errorf("row %d, column %s is %v (%T), want %v\n%s\n%v", r, c.Name, got, got, want, f.text, report.Warnings)
						return
					}
				}
			}
		})
	}
	t.Logf("%d files: %d of %d columns have their types, %d are text with a warning: %v", len(files), decided, columns, columns-decided, left)
	if decided < columns*9/10 {
		t.Errorf("%d of %d columns have their types", decided, columns)
	}
}

func zipped(t *testing.T, text string) string {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// isSameTime reports whether a value of asStored is the time of a text.
func isSameTime(got any, text string) bool {
	at, ok := got.(time.Time)
	if !ok {
		return false
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly, time.DateTime, "2006-01-02 15:04"} {
		if want, err := time.Parse(layout, text); err == nil {
			return at.Equal(want)
		}
	}
	return false
}

func sameValue(got, want any) bool {
	switch want := want.(type) {
	case int64:
		return got == want || got == float64(want)
	case float64:
		switch got := got.(type) {
		case int64:
			return float64(got) == want
		case float64:
			return got == want
		}
		return false
	case time.Time:
		at, ok := got.(time.Time)
		return ok && at.Equal(want)
	}
	return got == want
}
