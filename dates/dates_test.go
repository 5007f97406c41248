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

// The end of each day is left out in the tables, as in a Range.
func found(t *testing.T, now string, c dates.Calendar, text string) []string {
	t.Helper()
	at, err := time.Parse(time.RFC3339, now)
	if err != nil {
		t.Fatal(err)
	}
	facts, err := dates.New(at, c, text)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, r := range facts.Ranges {
		line := r.Text + ": " + r.From + " " + r.To
		if r.DataFrom != "" || r.DataTo != "" {
			line += " (" + r.DataFrom + ", " + r.DataTo + ")"
		}
		all = append(all, line)
	}
	return all
}

const monday = "2026-11-23T10:00:00Z" // the day of most tests

func TestWords(t *testing.T) {
	for text, want := range map[string]string{
		"orders of today":                    "today: 2026-11-23 2026-11-24",
		"what came yesterday?":               "yesterday: 2026-11-22 2026-11-23",
		"tomorrow's visits":                  "tomorrow: 2026-11-24 2026-11-25",
		"the day before yesterday":           "day before yesterday: 2026-11-21 2026-11-22",
		"Umsatz von heute":                   "heute: 2026-11-23 2026-11-24",
		"Was kam gestern?":                   "gestern: 2026-11-22 2026-11-23",
		"vorgestern":                         "vorgestern: 2026-11-21 2026-11-22",
		"Termine für morgen":                 "morgen: 2026-11-24 2026-11-25",
		"sales this week":                    "this week: 2026-11-23 2026-11-30",
		"sales last week":                    "last week: 2026-11-16 2026-11-23",
		"Umsatz letzte Woche":                "letzte Woche: 2026-11-16 2026-11-23",
		"Umsatz der letzten Woche":           "letzten Woche: 2026-11-16 2026-11-23",
		"nächste Woche":                      "nächste Woche: 2026-11-30 2026-12-07",
		"vorletzte Woche":                    "vorletzte Woche: 2026-11-09 2026-11-16",
		"the week before last":               "week before last: 2026-11-09 2026-11-16",
		"sales this month":                   "this month: 2026-11-01 2026-12-01",
		"last month's sales":                 "last month: 2026-10-01 2026-11-01",
		"next month":                         "next month: 2026-12-01 2027-01-01",
		"im vergangenen Monat":               "vergangenen Monat: 2026-10-01 2026-11-01",
		"im Vormonat":                        "Vormonat: 2026-10-01 2026-11-01",
		"sales last quarter":                 "last quarter: 2026-07-01 2026-10-01",
		"voriges Quartal":                    "voriges Quartal: 2026-07-01 2026-10-01",
		"im laufenden Quartal":               "laufenden Quartal: 2026-10-01 2027-01-01",
		"last year":                          "last year: 2025-01-01 2026-01-01",
		"im vergangenen Jahr":                "vergangenen Jahr: 2025-01-01 2026-01-01",
		"Umsätze dieses Jahres":              "dieses Jahres: 2026-01-01 2027-01-01",
		"im Vergleich zum Vorjahr":           "Vorjahr: 2025-01-01 2026-01-01",
		"in the last 30 days":                "last 30 days: 2026-10-24 2026-11-23",
		"in den letzten 30 Tagen":            "letzten 30 Tagen: 2026-10-24 2026-11-23",
		"the last two weeks":                 "last two weeks: 2026-11-09 2026-11-23",
		"in den letzten drei Monaten":        "letzten drei Monaten: 2026-08-23 2026-11-23",
		"the next 7 days":                    "next 7 days: 2026-11-24 2026-12-01",
		"in the past year":                   "past year: 2025-11-23 2026-11-23",
		"sales since Monday":                 "since Monday: 2026-11-23 2026-11-24",
		"seit Donnerstag":                    "seit Donnerstag: 2026-11-19 2026-11-24",
		"seit letzter Woche":                 "seit letzter Woche: 2026-11-16 2026-11-24",
		"since March":                        "since March: 2026-03-01 2026-11-24",
		"since December":                     "since December: 2025-12-01 2026-11-24",
		"since 2024":                         "since 2024: 2024-01-01 2026-11-24",
		"seit drei Tagen":                    "seit drei Tagen: 2026-11-20 2026-11-24",
		"seit Jahresbeginn":                  "seit Jahresbeginn: 2026-01-01 2026-11-24",
		"since the beginning of the quarter": "since the beginning of the quarter: 2026-10-01 2026-11-24",
		"sales ytd":                          "ytd: 2026-01-01 2026-11-24",
		"month-to-date":                      "month-to-date: 2026-11-01 2026-11-24",
		"last Monday":                        "last Monday: 2026-11-16 2026-11-17",
		"letzten Freitag":                    "letzten Freitag: 2026-11-20 2026-11-21",
		"next Monday":                        "next Monday: 2026-11-30 2026-12-01",
		"3 days ago":                         "3 days ago: 2026-11-20 2026-11-21",
		"vor zwei Wochen":                    "vor zwei Wochen: 2026-11-09 2026-11-16",
		"vor einem Jahr":                     "vor einem Jahr: 2025-01-01 2026-01-01",
		"Q1 2026":                            "Q1 2026: 2026-01-01 2026-04-01",
		"Q4/2025":                            "Q4/2025: 2025-10-01 2026-01-01",
		"2025 Q3":                            "2025 Q3: 2025-07-01 2025-10-01",
		"Q2 of last year":                    "Q2 of last year: 2025-04-01 2025-07-01",
		"Q3 and Q4 2024":                     "Q3: 2024-07-01 2024-10-01; Q4 2024: 2024-10-01 2025-01-01",
		"im 1. Quartal 2025":                 "1. Quartal 2025: 2025-01-01 2025-04-01",
		"im ersten Quartal letzten Jahres":   "ersten Quartal letzten Jahres: 2025-01-01 2025-04-01",
		"last quarter of 2024":               "last quarter of 2024: 2024-10-01 2025-01-01",
		"the second quarter":                 "second quarter: 2026-04-01 2026-07-01",
		"in March 2025":                      "March 2025: 2025-03-01 2025-04-01",
		"im März":                            "März: 2026-03-01 2026-04-01",
		"in December":                        "December: 2025-12-01 2026-01-01",
		"March last year":                    "March last year: 2025-03-01 2025-04-01",
		"last March":                         "last March: 2026-03-01 2026-04-01",
		"in 2025":                            "2025: 2025-01-01 2026-01-01",
		"im Jahr 2024":                       "Jahr 2024: 2024-01-01 2025-01-01",
		"on March 5, 2026":                   "March 5, 2026: 2026-03-05 2026-03-06",
		"am 5. März 2026":                    "5. März 2026: 2026-03-05 2026-03-06",
		"before last month":                  "before last month:  2026-10-01",
		"bis gestern":                        "bis gestern:  2026-11-23",
		"after 2024":                         "after 2024: 2025-01-01 ",
		"from January to March 2025":         "from January to March 2025: 2025-01-01 2025-04-01",
		"zwischen Montag und heute":          "zwischen Montag und heute: 2026-11-23 2026-11-24",
		"this month vs. last month":          "this month: 2026-11-01 2026-12-01; last month: 2026-10-01 2026-11-01",
		"last fiscal year":                   "last fiscal year: 2025-01-01 2026-01-01",
		// Words that are no times.
		"customers by last name":        "",
		"March the band":                "",
		"the second order":              "",
		"the first quarter-final":       "",
		"a quarter of the sales":        "",
		"Guten Morgen":                  "",
		"Was war heute Morgen?":         "heute: 2026-11-23 2026-11-24",
		"the last week of March":        "",
		"die letzte Woche des Monats":   "",
		"it may rain":                   "",
		"order 2025":                    "",
		"orders of 2026-03-05":          "",
		"in 2026-03-05":                 "",
		"more than 3 days ago":          "",
		"this weekend":                  "",
		"sales by quarter":              "",
		"Umsatz nach Monat":             "",
		"the last. Week numbers follow": "",
		"der letzte Auftrag":            "",
		"30 days":                       "",
		"yesterdays":                    "",
		"since the invoice was paid":    "",
		"on 31 February 2026":           "",
		"last 99999 years":              "",
		"last 9000 years":               "",
		"":                              "",
	} {
		if got := strings.Join(found(t, monday, dates.Calendar{}, text), "; "); got != want {
			t.Errorf("%q\n got %s\nwant %s", text, got, want)
		}
	}
}

func TestCalendars(t *testing.T) {
	for _, test := range []struct {
		name, now string
		calendar  dates.Calendar
		text      string
		want      []string
	}{
		{"last day of a year", "2025-12-31T23:59:59Z", dates.Calendar{}, "this year, next month, next quarter",
			[]string{"this year: 2025-01-01 2026-01-01", "next month: 2026-01-01 2026-02-01", "next quarter: 2026-01-01 2026-04-01"}},
		{"first day of a year", "2026-01-01T00:00:00Z", dates.Calendar{}, "last year, last month, last quarter, this week, yesterday",
			[]string{"last year: 2025-01-01 2026-01-01", "last month: 2025-12-01 2026-01-01", "last quarter: 2025-10-01 2026-01-01",
				"this week: 2025-12-29 2026-01-05", "yesterday: 2025-12-31 2026-01-01"}},
		{"weeks from Monday, on a Sunday", "2026-11-22T10:00:00Z", dates.Calendar{WeekStart: 1}, "this week, last week",
			[]string{"this week: 2026-11-16 2026-11-23", "last week: 2026-11-09 2026-11-16"}},
		{"weeks from Sunday, on a Sunday", "2026-11-22T10:00:00Z", dates.Calendar{WeekStart: 7}, "this week, letzte Woche",
			[]string{"this week: 2026-11-22 2026-11-29", "letzte Woche: 2026-11-15 2026-11-22"}},
		{"weeks from Sunday, on a Saturday", "2026-11-21T10:00:00Z", dates.Calendar{WeekStart: 7}, "this week", []string{"this week: 2026-11-15 2026-11-22"}},
		{"rolling weeks", "2025-01-15T10:00:00Z", dates.Calendar{RollingWeek: true}, "last week, vorletzte Woche, this week, next week, last month",
			[]string{"last week: 2025-01-08 2025-01-15", "vorletzte Woche: 2025-01-01 2025-01-08", "this week: 2025-01-13 2025-01-20",
				"next week: 2025-01-20 2025-01-27", "last month: 2024-12-01 2025-01-01"}},
		{"leap day", "2024-02-29T10:00:00Z", dates.Calendar{}, "last 12 months, this month, the last 4 years, tomorrow",
			[]string{"last 12 months: 2023-02-28 2024-02-29", "this month: 2024-02-01 2024-03-01", "last 4 years: 2020-02-29 2024-02-29",
				"tomorrow: 2024-03-01 2024-03-02"}},
		{"after a leap day", "2024-03-01T10:00:00Z", dates.Calendar{}, "yesterday, gestern", []string{"yesterday: 2024-02-29 2024-03-01", "gestern: 2024-02-29 2024-03-01"}},
		{"a month with fewer days", "2026-05-31T10:00:00Z", dates.Calendar{}, "last 3 months, last month",
			[]string{"last 3 months: 2026-02-28 2026-05-31", "last month: 2026-04-01 2026-05-01"}},
		{"fiscal year from April, before it", "2026-03-31T10:00:00Z", dates.Calendar{FiscalYearStart: time.April},
			"this fiscal year, last fiscal year, this fiscal quarter, FY2026, FY26, fiscal year 2027",
			[]string{"this fiscal year: 2025-04-01 2026-04-01", "last fiscal year: 2024-04-01 2025-04-01",
				"this fiscal quarter: 2026-01-01 2026-04-01", "FY2026: 2025-04-01 2026-04-01", "FY26: 2025-04-01 2026-04-01",
				"fiscal year 2027: 2026-04-01 2027-04-01"}},
		{"fiscal year from April, its first day", "2026-04-01T10:00:00Z", dates.Calendar{FiscalYearStart: time.April},
			"im letzten Geschäftsjahr, im Geschäftsjahr 2025/26, Q1 FY2027, fiscal Q4 2026, last fiscal quarter, in this quarter, Q1 2026",
			[]string{"letzten Geschäftsjahr: 2025-04-01 2026-04-01", "Geschäftsjahr 2025/26: 2025-04-01 2026-04-01",
				"Q1 FY2027: 2026-04-01 2026-07-01", "fiscal Q4 2026: 2026-01-01 2026-04-01", "last fiscal quarter: 2026-01-01 2026-04-01",
				"this quarter: 2026-04-01 2026-07-01", "Q1 2026: 2026-01-01 2026-04-01"}},
		{"fiscal year from October", "2026-11-23T10:00:00Z", dates.Calendar{FiscalYearStart: time.October},
			"this fiscal year, vorletztes Geschäftsjahr, second fiscal quarter, the last 2 fiscal years",
			[]string{"this fiscal year: 2026-10-01 2027-10-01", "vorletztes Geschäftsjahr: 2024-10-01 2025-10-01",
				"second fiscal quarter: 2027-01-01 2027-04-01", "last 2 fiscal years: 2024-10-01 2026-10-01"}},
		{"Auckland is a day ahead", "2026-06-30T13:00:00Z", dates.Calendar{Zone: "Pacific/Auckland"}, "today, last month, last quarter",
			[]string{"today: 2026-07-01 2026-07-02 (2026-06-30 12:00:00, 2026-07-01 12:00:00)",
				"last month: 2026-06-01 2026-07-01 (2026-05-31 12:00:00, 2026-06-30 12:00:00)",
				"last quarter: 2026-04-01 2026-07-01 (2026-03-31 11:00:00, 2026-06-30 12:00:00)"}},
		{"Honolulu is a day behind", "2026-01-01T09:59:59Z", dates.Calendar{Zone: "Pacific/Honolulu"}, "today, this year",
			[]string{"today: 2025-12-31 2026-01-01 (2025-12-31 10:00:00, 2026-01-01 10:00:00)",
				"this year: 2025-01-01 2026-01-01 (2025-01-01 10:00:00, 2026-01-01 10:00:00)"}},
		{"a day of 23 hours", "2026-03-29T10:00:00Z", dates.Calendar{Zone: "Europe/Berlin"}, "heute, morgen",
			[]string{"heute: 2026-03-29 2026-03-30 (2026-03-28 23:00:00, 2026-03-29 22:00:00)",
				"morgen: 2026-03-30 2026-03-31 (2026-03-29 22:00:00, 2026-03-30 22:00:00)"}},
		{"a day of 25 hours", "2026-10-25T10:00:00Z", dates.Calendar{Zone: "Europe/Berlin"}, "heute",
			[]string{"heute: 2026-10-25 2026-10-26 (2026-10-24 22:00:00, 2026-10-25 23:00:00)"}},
		{"no midnight", "2025-09-07T15:00:00Z", dates.Calendar{Zone: "America/Santiago"}, "today, yesterday",
			[]string{"today: 2025-09-07 2025-09-08 (2025-09-07 04:00:00, 2025-09-08 03:00:00)",
				"yesterday: 2025-09-06 2025-09-07 (2025-09-06 04:00:00, 2025-09-07 04:00:00)"}},
		{"midnight twice", "2025-11-02T15:00:00Z", dates.Calendar{Zone: "America/Havana"}, "today",
			[]string{"today: 2025-11-02 2025-11-03 (2025-11-02 04:00:00, 2025-11-03 05:00:00)"}},
		{"one zone for both", "2026-11-23T23:30:00Z", dates.Calendar{Zone: "Europe/Berlin", DataZone: "Europe/Berlin"}, "today", []string{"today: 2026-11-24 2026-11-25"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, found(t, test.now, test.calendar, test.text)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestCalendarCheck(t *testing.T) {
	for c, problem := range map[dates.Calendar]string{
		{}: "",
		{Zone: "Europe/Berlin", DataZone: "UTC", WeekStart: 7, FiscalYearStart: time.December}: "",
		{Zone: "Europe/Nowhere"}: `Zone is "Europe/Nowhere"`,
		{DataZone: "Local"}:      `DataZone is "Local"`,
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

func TestFactsString(t *testing.T) {
	now := time.Date(2026, 11, 23, 20, 0, 0, 0, time.UTC)
	facts, err := dates.New(now, dates.Calendar{Zone: "Pacific/Auckland", WeekStart: 7, FiscalYearStart: time.April}, "sales of last quarter")
	if err != nil {
		t.Fatal(err)
	}
	want := `Today is Tuesday, 2026-11-24 in the user's time zone, Pacific/Auckland. Times in the data without a zone are in UTC. A week begins on Sunday. The fiscal year begins in April; the present one is from 2026-04-01 up to, not including, 2027-04-01.
The words for times mean exactly these days. Use the dates as they are, and compute no others:
- "last quarter": from 2026-07-01 up to, not including, 2026-10-01; for data with a time of day, in UTC: from 2026-06-30 12:00:00 up to, not including, 2026-09-30 11:00:00`
	if diff := cmp.Diff(want, facts.String()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestCheck(t *testing.T) {
	now := time.Date(2026, 11, 23, 10, 0, 0, 0, time.UTC)
	auckland := dates.Calendar{Zone: "Pacific/Auckland"}
	for _, test := range []struct {
		name     string
		calendar dates.Calendar
		text     string
		query    string
		want     dates.Use
		instead  []string
	}{
		{"half open", dates.Calendar{}, "last quarter", `WHERE d >= '2026-07-01' AND d < '2026-10-01'`, dates.Matches, nil},
		{"closed", dates.Calendar{}, "last quarter", `WHERE d BETWEEN '2026-07-01' AND '2026-09-30'`, dates.Matches, nil},
		{"with casts", dates.Calendar{}, "last quarter", `d >= DATE '2026-07-01' AND d <= timestamp '2026-09-30 23:59:59'`, dates.Matches, nil},
		{"the day before", dates.Calendar{}, "last quarter", `d > '2026-06-30' AND d < '2026-10-01'`, dates.Matches, nil},
		{"another quarter", dates.Calendar{}, "last quarter", `d >= '2026-04-01' AND d < '2026-07-01'`, dates.Differs, []string{"2026-04-01", "2026-07-01"}},
		{"a day too much", dates.Calendar{}, "last quarter", `d >= '2026-07-01' AND d <= '2026-10-01'`, dates.Differs, []string{"2026-10-01"}},
		{"a day too much, between", dates.Calendar{}, "last quarter", `d BETWEEN '2026-07-01' AND '2026-10-01'`, dates.Differs, []string{"2026-10-01"}},
		{"a day too little", dates.Calendar{}, "last quarter", `d > '2026-07-01' AND d < '2026-10-01'`, dates.Differs, []string{"2026-07-01"}},
		{"no end", dates.Calendar{}, "last quarter", `d >= '2026-07-01'`, dates.Differs, nil},
		{"no end is needed", dates.Calendar{}, "this month", `d >= '2026-11-01'`, dates.Matches, nil},
		{"an end is needed in the future", dates.Calendar{}, "next week", `d >= '2026-11-30'`, dates.Differs, nil},
		{"one day", dates.Calendar{}, "yesterday", `d = '2026-11-22'`, dates.Matches, nil},
		{"a day as a limit", dates.Calendar{}, "overdue on 31 March 2026", `due < '2026-03-31'`, dates.Matches, nil},
		{"the first day of a week", dates.Calendar{}, "in the week of 23 March 2026", `d BETWEEN '2026-03-23' AND '2026-03-29'`, dates.Matches, nil},
		{"another day", dates.Calendar{}, "overdue on 31 March 2026", `due < '2026-03-30'`, dates.Differs, []string{"2026-03-30"}},
		{"yesterday is no limit", dates.Calendar{}, "yesterday", `d < '2026-11-22'`, dates.Differs, []string{"2026-11-22"}},
		{"open at the beginning", dates.Calendar{}, "before last month", `d < '2026-10-01'`, dates.Matches, nil},
		{"wrong direction", dates.Calendar{}, "before last month", `d >= '2026-10-01'`, dates.Differs, []string{"2026-10-01"}},
		{"nothing to compare", dates.Calendar{}, "last quarter", `d >= date_trunc('quarter', now())`, "", nil},
		{"numbers that are no dates", dates.Calendar{}, "last quarter", `id = '2026-99-99'`, "", nil},
		{"two ranges", dates.Calendar{}, "last month", `d >= '2026-10-01' AND d < '2026-11-01' OR d >= '2025-10-01' AND d < '2025-11-01'`, dates.Matches, nil},
		{"a search", dates.Calendar{}, "letztes Quartal", `{"range":{"at":{"gte":"2026-07-01","lt":"2026-10-01"}}}`, dates.Matches, nil},
		{"a wrong search", dates.Calendar{}, "letztes Quartal", `{"range":{"at":{"gte":"2026-07-01","lte":"2026-10-01"}}}`, dates.Differs, []string{"2026-10-01"}},
		{"moments of the data", auckland, "last month", `at >= '2026-09-30 11:00:00' AND at < '2026-10-31T11:00:00Z'`, dates.Matches, nil},
		{"moments with an offset", auckland, "last month", `at >= '2026-10-01 00:00:00+13:00' AND at < '2026-11-01 00:00:00+13'`, dates.Matches, nil},
		{"days of the user", auckland, "last month", `d >= '2026-10-01' AND d < '2026-11-01'`, dates.Matches, nil},
		{"moments in the wrong zone", auckland, "last month", `at >= '2026-10-01 00:00:00' AND at < '2026-11-01 00:00:00'`, dates.Differs,
			[]string{"2026-10-01 00:00:00", "2026-11-01 00:00:00"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			facts, err := dates.New(now, test.calendar, test.text)
			if err != nil || len(facts.Ranges) != 1 {
				t.Fatal(facts.Ranges, err)
			}
			got := facts.Check(test.query)[0]
			if diff := cmp.Diff(test.instead, got.Instead); got.Use != test.want || diff != "" {
				t.Errorf("%q, want %q; -want +got:\n%s", got.Use, test.want, diff)
			}
			if facts.Ranges[0].Use != "" {
				t.Error("Check changed the facts")
			}
		})
	}
}

func TestDays(t *testing.T) {
	for want, r := range map[string]dates.Range{
		"2026-07-01 - 2026-09-30": {From: "2026-07-01", To: "2026-10-01"},
		"2026-11-22":              {From: "2026-11-22", To: "2026-11-23"},
		"- 2026-09-30":            {To: "2026-10-01"},
		"2026-07-01 -":            {From: "2026-07-01"},
	} {
		if got := r.Days(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func FuzzNew(f *testing.F) {
	for _, text := range []string{"since the beginning of the last 3 fiscal years", "from Q1 to Q3 2025", "1. Quartal 2026", "vor 3 Tagen",
		"in 2026-03", "last\xff week", "FY25/26", "between March", "bis", "since"} {
		f.Add(text, "d >= '2026-07-01 10:00:00+01' AND", int64(1_790_000_000), 7, 4)
	}
	f.Fuzz(func(t *testing.T, text, query string, unix int64, week, month int) {
		now := time.Unix(unix%4_000_000_000, 0)
		facts, err := dates.New(now, dates.Calendar{Zone: "Pacific/Auckland", WeekStart: week, FiscalYearStart: time.Month(month)}, text)
		if err != nil {
			if !errors.Is(err, dates.ErrCalendar) {
				t.Fatal(err)
			}
			return
		}
		for _, r := range facts.Check(query) {
			if r.From == "" && r.To == "" || r.From != "" && r.To != "" && r.From >= r.To || r.Text == "" {
				t.Fatalf("%q: %+v", text, r)
			}
			if !strings.Contains(strings.Join(strings.Fields(text), " "), r.Text) {
				t.Fatalf("%q is not in %q", r.Text, text)
			}
			if (r.DataFrom == "") != (r.From == "") || (r.DataTo == "") != (r.To == "") {
				t.Fatalf("%+v", r)
			}
		}
		_ = facts.String()
	})
}

func ExampleNew() {
	now := time.Date(2026, time.November, 23, 9, 0, 0, 0, time.UTC)
	facts, err := dates.New(now, dates.Calendar{Zone: "Europe/Berlin"}, "Umsatz im letzten Quartal")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range facts.Check(`SELECT sum(amount) FROM sale WHERE day >= '2026-07-01' AND day <= '2026-10-01'`) {
		fmt.Println(r.Text, "is", r.Days())
		fmt.Println(r.DataFrom, "to", r.DataTo, "in UTC")
		fmt.Println(r.Use, r.Instead)
	}
	// Output:
	// letzten Quartal is 2026-07-01 - 2026-09-30
	// 2026-06-30 22:00:00 to 2026-09-30 22:00:00 in UTC
	// differs [2026-10-01]
}
