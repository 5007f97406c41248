// Package dates computes what words such as "last quarter" or "seit Montag" mean,
// so that no model has to: it finds English and German words for times in a text
// and returns the days that they name, for a [Calendar].
//
//	facts, err := dates.New(now, dates.Calendar{Zone: "Europe/Berlin"}, "sales of last quarter")
//	...
//	facts.Ranges[0] // from 2026-07-01, before 2026-10-01
//
// The rules, where everyday language leaves something open:
//
//   - Last week, last month and so on are those of the calendar: the ones before
//     the present one, unless [Calendar.RollingWeek] is set. The last 7 days, weeks or
//     months end with yesterday, and so does the past week, month or year.
//   - Ranges such as "since March" end with today.
//   - Quarters are those of the calendar, unless the text says that they are of
//     the fiscal year.
//   - A fiscal year that does not begin in January has the number of the year in
//     which it ends. A text such as 2025/26 names both years.
//   - Last Monday is the latest one before today. Since Monday can begin today.
//
// Words that a text leaves open ("on Monday", "recently") are not found.
package dates

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// ErrCalendar is the kind of error of a [Calendar] that cannot be used.
var ErrCalendar = errors.New("the calendar is not valid")

// A Calendar says when days, weeks and fiscal years begin. The zero value means
// UTC, weeks that begin on Monday, and a fiscal year that begins in January.
type Calendar struct {
	// Zone is the time zone of the user, and DataZone the one in which databases
	// keep times that have no zone. Both are names such as "Europe/Berlin". Empty
	// means UTC.
	Zone     string `json:"zone,omitempty"`
	DataZone string `json:"data_zone,omitempty"`

	// WeekStart is the first day of the week, from 1 for Monday to 7 for Sunday as
	// in ISO 8601. 0 means Monday.
	WeekStart int `json:"week_start,omitempty"`

	// RollingWeek makes last week the seven days before today, and the week before
	// last the seven days before those, instead of weeks of the calendar.
	RollingWeek bool `json:"rolling_week,omitempty"`

	// FiscalYearStart is the first month of the fiscal year. 0 means January.
	FiscalYearStart time.Month `json:"fiscal_year_start,omitempty"`
}

// Check returns an error that matches [ErrCalendar] if c cannot be used.
func (c Calendar) Check() error {
	_, err := c.resolve()
	return err
}

// resolved is a Calendar with its zones.
type resolved struct {
	user, data *time.Location
	weekStart  time.Weekday
	rolling    bool
	fiscal     time.Month
}

func (c Calendar) resolve() (resolved, error) {
	r := resolved{weekStart: time.Weekday(c.WeekStart % 7), rolling: c.RollingWeek, fiscal: c.FiscalYearStart}
	if c.WeekStart < 0 || c.WeekStart > 7 {
		return r, fmt.Errorf("%w: WeekStart is %d: use 1 for Monday to 7 for Sunday", ErrCalendar, c.WeekStart)
	}
	if c.WeekStart == 0 {
		r.weekStart = time.Monday
	}
	if c.FiscalYearStart < 0 || c.FiscalYearStart > time.December {
		return r, fmt.Errorf("%w: FiscalYearStart is %d: use a month from 1 to 12", ErrCalendar, int(c.FiscalYearStart))
	}
	if r.fiscal == 0 {
		r.fiscal = time.January
	}
	var err error
	if r.user, err = zone("Zone", c.Zone); err != nil {
		return r, err
	}
	r.data, err = zone("DataZone", c.DataZone)
	return r, err
}

func zone(field, name string) (*time.Location, error) {
	if name == "Local" {
		return nil, fmt.Errorf("%w: %s is \"Local\", which differs between machines: use a name such as Europe/Berlin",
			ErrCalendar, field)
	}
	found, err := time.LoadLocation(name)
	if err != nil {
		return nil, fmt.Errorf("%w: %s is %q: use a name of the time zone database, such as Europe/Berlin: %w",
			ErrCalendar, field, name, err)
	}
	return found, nil
}

// A Range is what words for a time mean: the days from From, up to but not
// including To.
type Range struct {
	Text string `json:"text"` // the words

	// From and To are days of the user, such as 2026-07-01. An empty one means that
	// the words name no beginning or no end.
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"`

	// DataFrom and DataTo are the moments at which From and To begin, as a database
	// keeps them, such as 2026-06-30 22:00:00. Both are empty if its time zone is
	// the user's.
	DataFrom string `json:"data_from,omitempty"`
	DataTo   string `json:"data_to,omitempty"`

	// Use says whether the queries have these dates, and Instead has the other
	// dates in them if they do not. Both are set by [Facts.Check].
	Use     Use      `json:"use,omitempty"`
	Instead []string `json:"instead,omitempty"`
}

// Use says whether queries read the time of a [Range].
type Use string

// Whether queries read the time of a Range. The zero value means that it is not
// known: the queries have no dates that could be compared.
const (
	Matches Use = "matches"
	Differs Use = "differs"
)

// Days returns the first and the last day of r for people, such as "2026-07-01 -
// 2026-09-30", or a single day.
func (r Range) Days() string {
	last := r.To
	if to, err := time.Parse(time.DateOnly, r.To); err == nil {
		last = to.AddDate(0, 0, -1).Format(time.DateOnly)
	}
	if r.From == last {
		return last
	}
	return strings.TrimSpace(strings.TrimSpace(r.From+" -") + " " + last)
}

// Facts are what a prompt says about dates: today, the calendar, and what the
// words of a text mean. In a template, {{.}} of a Facts writes all of it as lines.
type Facts struct {
	Now      time.Time
	Calendar Calendar
	Ranges   []Range // in the order of the text

	spans []span // of Ranges
	zones resolved
}

// New returns the facts for a text that was written at the time now. The error
// matches [ErrCalendar].
func New(now time.Time, c Calendar, text string) (Facts, error) {
	zones, err := c.resolve()
	if err != nil {
		return Facts{}, err
	}
	f := Facts{Now: now.In(zones.user), Calendar: c, zones: zones}
	for _, s := range find(text, dayOf(f.Now), zones) {
		r := Range{Text: s.text, From: dateOnly(s.from), To: dateOnly(s.to)}
		if zones.user.String() != zones.data.String() {
			r.DataFrom, r.DataTo = zones.moment(s.from), zones.moment(s.to)
		}
		f.Ranges, f.spans = append(f.Ranges, r), append(f.spans, s)
	}
	return f, nil
}

// String returns f as lines of a prompt. Text in quotes comes from the user.
func (f Facts) String() string {
	if f.zones.user == nil {
		return "Today is unknown."
	}
	var b strings.Builder
	from := fiscalYear(dayOf(f.Now), f.zones.fiscal)
	fmt.Fprintf(&b, "Today is %s in the user's time zone, %s. Times in the data without a zone are in %s. "+
		"A week begins on %s. The fiscal year begins in %s; the present one is from %s up to, not including, %s.",
		f.Now.Format("Monday, 2006-01-02"), f.zones.user, f.zones.data, f.zones.weekStart, f.zones.fiscal,
		dateOnly(from), dateOnly(from.AddDate(1, 0, 0)))
	if len(f.Ranges) == 0 {
		return b.String()
	}
	b.WriteString("\nThe words for times mean exactly these days. Use the dates as they are, and compute no others:")
	for _, r := range f.Ranges {
		fmt.Fprintf(&b, "\n- %q:%s", r.Text, limits(r.From, r.To))
		if r.DataFrom != "" || r.DataTo != "" {
			fmt.Fprintf(&b, "; for data with a time of day, in %s:%s", f.zones.data, limits(r.DataFrom, r.DataTo))
		}
	}
	return b.String()
}

// limits returns the limits of a range in words.
func limits(from, to string) string {
	text := ""
	if from != "" {
		text = " from " + from
	}
	if to != "" {
		text += " up to, not including, " + to
	}
	return text
}

func dateOnly(day time.Time) string {
	if day.IsZero() {
		return ""
	}
	return day.Format(time.DateOnly)
}

const dateTime = "2006-01-02 15:04:05"

// moment returns when a day of the user begins, in the zone of the data.
func (r resolved) moment(day time.Time) string {
	if day.IsZero() {
		return ""
	}
	return begin(day, r.user).In(r.data).Format(dateTime)
}

// begin returns the moment at which a day begins in a zone. A day can lack
// midnight, and can have it twice.
func begin(day time.Time, in *time.Location) time.Time {
	y, m, d := day.Date()
	t := time.Date(y, m, d, 0, 0, 0, 0, in)
	from, to := t.ZoneBounds()
	switch {
	case t.Day() != d:
		return to // the hour before a midnight that does not exist
	case t.Hour() != 0 || t.Minute() != 0:
		return from
	case from.IsZero():
		return t
	}
	_, now := t.Zone()
	_, before := from.Add(-time.Second).Zone()
	if first := t.Add(time.Duration(now-before) * time.Second); first.Before(from) && first.In(in).Day() == d {
		return first
	}
	return t
}

// dayOf returns the date of a time in its zone, as midnight in UTC: days are
// computed there, because a day can lack midnight in other zones.
func dayOf(t time.Time) time.Time {
	y, m, d := t.Date()
	return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
}

// fiscalYear returns the first day of the fiscal year with a day.
func fiscalYear(day time.Time, start time.Month) time.Time {
	first := time.Date(day.Year(), start, 1, 0, 0, 0, 0, time.UTC)
	if first.After(day) {
		first = first.AddDate(-1, 0, 0)
	}
	return first
}
