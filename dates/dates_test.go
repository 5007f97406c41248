package dates_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/dates"
)

func facts(t *testing.T, now string, c dates.Calendar, text string) dates.Facts {
	t.Helper()
	at, err := time.Parse(time.RFC3339, now)
	if err != nil {
		t.Fatal(err)
	}
	f, err := dates.New(at, c, text)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestCalendarLines(t *testing.T) {
	for _, test := range []struct {
		name, now string
		calendar  dates.Calendar
		want      string
	}{
		{"a day ahead, weeks from Sunday, a fiscal year", "2026-11-23T20:00:00Z",
			dates.Calendar{Zone: "Pacific/Auckland", WeekStart: 7, FiscalYearStart: time.April},
			`Today is Tuesday, 2026-11-24. Days and times are in the time zone Pacific/Auckland. A week begins on Sunday.
Calendar, each from the first day to before the second:
- day: last 2026-11-23 to 2026-11-24, this 2026-11-24 to 2026-11-25, next 2026-11-25 to 2026-11-26
- week: last 2026-11-15 to 2026-11-22, this 2026-11-22 to 2026-11-29, next 2026-11-29 to 2026-12-06
- month: last 2026-10-01 to 2026-11-01, this 2026-11-01 to 2026-12-01, next 2026-12-01 to 2027-01-01
- quarter: last 2026-07-01 to 2026-10-01, this 2026-10-01 to 2027-01-01, next 2027-01-01 to 2027-04-01
- half: last 2026-01-01 to 2026-07-01, this 2026-07-01 to 2027-01-01, next 2027-01-01 to 2027-07-01
- year: last 2025-01-01 to 2026-01-01, this 2026-01-01 to 2027-01-01, next 2027-01-01 to 2028-01-01
- fiscal year: last 2025-04-01 to 2026-04-01, this 2026-04-01 to 2027-04-01, next 2027-04-01 to 2028-04-01`},
		{"a leap day, rolling weeks", "2024-02-29T10:00:00Z", dates.Calendar{RollingWeek: true},
			`Today is Thursday, 2024-02-29. Days and times are in the time zone UTC. A week begins on Monday.
Calendar, each from the first day to before the second:
- day: last 2024-02-28 to 2024-02-29, this 2024-02-29 to 2024-03-01, next 2024-03-01 to 2024-03-02
- week: last 2024-02-22 to 2024-02-29, this 2024-02-26 to 2024-03-04, next 2024-03-04 to 2024-03-11
- month: last 2024-01-01 to 2024-02-01, this 2024-02-01 to 2024-03-01, next 2024-03-01 to 2024-04-01
- quarter: last 2023-10-01 to 2024-01-01, this 2024-01-01 to 2024-04-01, next 2024-04-01 to 2024-07-01
- half: last 2023-07-01 to 2024-01-01, this 2024-01-01 to 2024-07-01, next 2024-07-01 to 2025-01-01
- year: last 2023-01-01 to 2024-01-01, this 2024-01-01 to 2025-01-01, next 2025-01-01 to 2026-01-01`},
	} {
		t.Run(test.name, func(t *testing.T) {
			// The words of the question change nothing.
			got := facts(t, test.now, test.calendar, "sales of last quarter").String()
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
	if got := (dates.Facts{}).String(); got != "Today is unknown." {
		t.Error(got)
	}
}

func TestCalendars(t *testing.T) {
	for _, test := range []struct {
		name, now string
		calendar  dates.Calendar
		text      string
		want      string // empty: not read
	}{
		{"last day of a year", "2025-12-31T23:59:59Z", dates.Calendar{}, "next month", "2026-01-01 2026-02-01"},
		{"first day of a year", "2026-01-01T00:00:00Z", dates.Calendar{}, "last quarter", "2025-10-01 2026-01-01"},
		{"a Sunday, weeks from Monday", "2026-11-22T10:00:00Z", dates.Calendar{WeekStart: 1}, "this week", "2026-11-16 2026-11-23"},
		{"a Sunday, weeks from Sunday", "2026-11-22T10:00:00Z", dates.Calendar{WeekStart: 7}, "letzte Woche", "2026-11-15 2026-11-22"},
		{"rolling weeks", "2025-01-15T10:00:00Z", dates.Calendar{RollingWeek: true}, "last week", "2025-01-08 2025-01-15"},
		{"rolling weeks, before last", "2025-01-15T10:00:00Z", dates.Calendar{RollingWeek: true}, "vorletzte Woche", "2025-01-01 2025-01-08"},
		{"rolling weeks, this", "2025-01-15T10:00:00Z", dates.Calendar{RollingWeek: true}, "this week", "2025-01-13 2025-01-20"},
		{"leap day", "2024-02-29T10:00:00Z", dates.Calendar{}, "last 12 months", "2023-02-28 2024-02-29"},
		{"a month with fewer days", "2026-05-31T10:00:00Z", dates.Calendar{}, "last month", "2026-04-01 2026-05-01"},
		{"fiscal year from April, before it", "2026-03-31T10:00:00Z", dates.Calendar{FiscalYearStart: time.April}, "this fiscal year", "2025-04-01 2026-04-01"},
		{"fiscal year from April, its first day", "2026-04-01T10:00:00Z", dates.Calendar{FiscalYearStart: time.April}, "im letzten Geschäftsjahr", "2025-04-01 2026-04-01"},
		{"fiscal year with both numbers", "2026-04-01T10:00:00Z", dates.Calendar{FiscalYearStart: time.April}, "im Geschäftsjahr 2025/26", "2025-04-01 2026-04-01"},
		{"fiscal year with one number", "2026-04-01T10:00:00Z", dates.Calendar{FiscalYearStart: time.April}, "FY2026", ""},
		{"which last year", "2026-04-01T10:00:00Z", dates.Calendar{FiscalYearStart: time.April}, "last year", ""},
		{"which May", "2026-04-01T10:00:00Z", dates.Calendar{FiscalYearStart: time.April}, "May this year", ""},
		{"which May, last year", "2026-04-01T10:00:00Z", dates.Calendar{FiscalYearStart: time.April}, "May of last year", ""},
		{"a year with its number", "2026-04-01T10:00:00Z", dates.Calendar{FiscalYearStart: time.April}, "May 2025", "2025-05-01 2025-06-01"},
		{"which year to date", "2026-04-01T10:00:00Z", dates.Calendar{FiscalYearStart: time.April}, "YTD", ""},
		{"quarters that fit", "2026-04-01T10:00:00Z", dates.Calendar{FiscalYearStart: time.April}, "last quarter", "2026-01-01 2026-04-01"},
		{"quarter of which year", "2026-04-01T10:00:00Z", dates.Calendar{FiscalYearStart: time.April}, "Q1 2026", ""},
		{"quarters that do not fit", "2026-04-01T10:00:00Z", dates.Calendar{FiscalYearStart: time.February}, "last quarter", ""},
		{"Auckland is a day ahead", "2026-06-30T13:00:00Z", dates.Calendar{Zone: "Pacific/Auckland"}, "last month", "2026-06-01 2026-07-01"},
		{"Honolulu is a day behind", "2026-01-01T09:59:59Z", dates.Calendar{Zone: "Pacific/Honolulu"}, "today", "2025-12-31 2026-01-01"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := ""
			if p, ok := facts(t, test.now, test.calendar, test.text).Words(); ok {
				got = p.From + " " + p.Before
			}
			if got != test.want {
				t.Errorf("%q is %q, want %q", test.text, got, test.want)
			}
		})
	}
}

func TestNamesTime(t *testing.T) {
	for text, want := range map[string]bool{
		"How many invoices were issued in March 2026?":    true,
		"orders of last month":                            true,
		"second half of last year":                        true,
		"late in March 2026":                              true, // also if Words does not read it
		"revenue in 2025 vs 2024":                         true,
		"Bestellungen seit letztem Jahr":                  true,
		"Umsatz der letzten 30 Tage":                      true,
		"What is open today?":                             false,
		"revenue per month":                               false,
		"Which month had the most orders?":                false,
		"How many orders may be late?":                    false,
		"orders of customer 2025":                         false,
		"in 2000 shops":                                   false,
		`the campaign "March 2026"`:                       false,
		"orders between 2000 and 2100 euros":              false,
		"Alle Kunden":                                     false,
		"the next customer of this list, and the last":    false,
		strings.Repeat("a document of ", 400) + "in 2025": false,
	} {
		if got := facts(t, "2026-03-31T10:00:00Z", dates.Calendar{}, text).NamesTime(); got != want {
			t.Errorf("%.60q: %v", text, got)
		}
	}
}

func TestNamesTimeOfAFiscalYear(t *testing.T) {
	for _, text := range []string{"orders of last year", "Q1 2026", "FY2026", "YTD", "before last year", "from last year to this year"} {
		f := facts(t, "2026-04-01T10:00:00Z", dates.Calendar{FiscalYearStart: time.April}, text)
		if _, ok := f.Words(); ok || !f.NamesTime() {
			t.Errorf("%q is read: %v, names a time: %v", text, ok, f.NamesTime())
		}
	}
}

func TestCalendarCheck(t *testing.T) {
	for c, problem := range map[dates.Calendar]string{
		{}: "",
		{Zone: "Europe/Berlin", WeekStart: 7, FiscalYearStart: time.December}: "",
		{Zone: "Europe/Nowhere"}: `Zone is "Europe/Nowhere"`,
		{Zone: "Local"}:          `Zone is "Local"`,
		{WeekStart: 8}:           "WeekStart is 8",
		{WeekStart: -1}:          "WeekStart is -1",
		{FiscalYearStart: 13}:    "FiscalYearStart is 13",
	} {
		err := c.Check()
		if problem == "" && err != nil || problem != "" && (!errors.Is(err, dates.ErrCalendar) || !strings.Contains(err.Error(), problem)) {
			t.Errorf("%+v: %v, want %q", c, err, problem)
		}
		if _, newErr := dates.New(time.Now(), c, "today"); (newErr == nil) != (err == nil) {
			t.Errorf("%+v: New returns %v", c, newErr)
		}
	}
}

func TestDays(t *testing.T) {
	for want, p := range map[string]dates.Period{
		"2026-07-01 - 2026-09-30": {From: "2026-07-01", Before: "2026-10-01"},
		"2026-07-01 - 2026-07-31": {From: "2026-07-01 00:00:00", Before: "2026-08-01 00:00:00"},
		"2026-11-22":              {From: "2026-11-22", Before: "2026-11-23"},
		"- 2026-09-30":            {Before: "2026-10-01"},
		"2026-07-01 -":            {From: "2026-07-01"},
		"2026-07-01 08:00:00 - 2026-07-01 16:00:00": {From: "2026-07-01 08:00:00", Before: "2026-07-01 16:00:00"},
		"": {},
	} {
		if got := p.Days(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// What is read does not depend on the size of the text, and is within it.
func FuzzNew(f *testing.F) {
	for _, text := range []string{"since the beginning of the last 3 fiscal years", "from Q1 to Q3 2025", "1. Quartal 2026", "vor 3 Tagen",
		"in 2026-03", "last\xff week", "FY25/26", "between March", "bis", "since", "Q1-", "ab ab ab", "from from 2025 onwards", "5. März 2026",
		"between the years", "up to and including", "last half of", "am 31.", "- 2025 -", "den Jahren 2024 und"} {
		f.Add(text, int64(1_790_000_000), 7, 4)
	}
	f.Fuzz(func(t *testing.T, text string, unix int64, week, month int) {
		now := time.Unix(unix%4_000_000_000, 0)
		facts, err := dates.New(now, dates.Calendar{Zone: "Pacific/Auckland", WeekStart: week, FiscalYearStart: time.Month(month)}, text)
		if err != nil {
			if !errors.Is(err, dates.ErrCalendar) {
				t.Fatal(err)
			}
			return
		}
		if p, ok := facts.Words(); ok {
			if p.From == "" && p.Before == "" || p.From != "" && p.Before != "" && p.From >= p.Before || p.Words == "" {
				t.Fatalf("%q: %+v", text, p)
			}
			if !strings.Contains(strings.Join(strings.Fields(text), " "), p.Words) {
				t.Fatalf("%q is not in %q", p.Words, text)
			}
			for _, r := range facts.Compare([]dates.Period{p}, []dates.Bound{{From: p.From, Before: p.Before, Exact: true}}, true) {
				if r.Verdict != dates.Proved {
					t.Fatalf("%+v", r)
				}
			}
		}
		_ = facts.String()
	})
}

func Example() {
	now := time.Date(2026, time.November, 23, 9, 0, 0, 0, time.UTC)
	facts, err := dates.New(now, dates.Calendar{Zone: "Europe/Berlin"}, "Umsatz in der ersten Hälfte des letzten Jahres")
	if err != nil {
		fmt.Println(err)
		return
	}
	p, ok := facts.Words()
	fmt.Println(p.Words, "=", p.Days(), ok)
	// Output: ersten Hälfte des letzten Jahres = 2025-01-01 - 2025-06-30 true
}
