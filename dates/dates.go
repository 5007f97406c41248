// Package dates has the calendar of a prompt, and checks the times that queries read.
//
// [Facts] are lines for a prompt: today, and the first days of weeks, months,
// quarters and years around it, so that no model has to compute them. They do not
// say what a question means. The model that writes a query declares the periods
// that it read out of the question. [Facts.Compare] compares them with the times
// that the query reads.
//
// The words of a question are a second opinion. [New] reads English and German
// words for a time, but only if nothing else in the text can have to do with time:
// it reads "revenue in the second half of last year", and is silent about
// "revenue in late March". Where everyday language leaves something open:
//
//   - Last week, last month and so on are those of the calendar: the ones before
//     the present one, unless [Calendar.RollingWeek] is set.
//   - The last 7 days, weeks or months end with yesterday. Queries with other
//     limits do not contradict these words.
//   - "From January to March" includes March, and "between" does as well.
//   - If the fiscal year does not begin in January, years of which no number is said,
//     quarters and halves with a number and FY2026 can be of either year, and are not
//     read. FY2025/26 names both years.
package dates

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/qedkit/qed/internal/timezone"
)

// ErrCalendar is the kind of error of a [Calendar] that cannot be used.
var ErrCalendar = errors.New("the calendar is not valid")

// A Calendar says when days, weeks and fiscal years begin. The zero value means
// UTC, weeks that begin on Monday, and a fiscal year that begins in January.
type Calendar struct {
	// Zone is the time zone in which days begin and times are read, grouped and
	// shown. It is a name such as "Europe/Berlin", or an offset such as "+02:00".
	// Empty means UTC. An agent for a database uses the zone of the database
	// instead, if it has one.
	Zone string `json:"zone,omitempty"`

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

// resolved is a Calendar with its zone.
type resolved struct {
	zone      *time.Location
	weekStart time.Weekday
	rolling   bool
	fiscal    time.Month
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
	r.fiscal = cmp.Or(r.fiscal, time.January)
	var err error
	if r.zone, err = timezone.Load(c.Zone); err != nil {
		return r, fmt.Errorf("%w: Zone is %q: %w", ErrCalendar, c.Zone, err)
	}
	return r, nil
}

// Facts are what a prompt says about dates: today and the calendar. In a template,
// {{.}} of a Facts writes all of it as lines.
type Facts struct {
	Now      time.Time // in the zone of Calendar
	Calendar Calendar

	zones resolved
	named bool   // the text names a time
	words string // the time of the text that was read; empty if there is none
	span  span   // of words
}

// New returns the facts for a text that was written at the time now. The error
// matches [ErrCalendar].
func New(now time.Time, c Calendar, text string) (Facts, error) {
	zones, err := c.resolve()
	if err != nil {
		return Facts{}, err
	}
	f := Facts{Now: now.In(zones.zone), Calendar: c, zones: zones}
	f.words, f.span, f.named = read(text, dayOf(f.Now), zones)
	return f, nil
}

// Words returns the time that the words of the text mean. ok is false if the text
// names none, or one that was not read for certain.
func (f Facts) Words() (p Period, ok bool) {
	return Period{Words: f.words, From: dateOnly(f.span.from), Before: dateOnly(f.span.to)}, f.words != ""
}

// NamesTime reports whether the text names a time for certain, such as "last
// month" or "March 2026", also if Words does not know which one.
func (f Facts) NamesTime() bool { return f.named }

// String returns f as lines of a prompt.
func (f Facts) String() string {
	if f.zones.zone == nil {
		return "Today is unknown."
	}
	b := fmt.Appendf(make([]byte, 0, 1024), "Today is %s. Days and times are in the time zone %s. "+
		"A week begins on %s.\nCalendar, each from the first day to before the second:",
		f.Now.Format("Monday, 2006-01-02"), f.zones.zone, f.zones.weekStart)
	lines := []struct {
		name string
		unit unit
	}{
		{"day", day}, {"week", week}, {"month", month}, {"quarter", quarter}, {"half", half}, {"year", year},
		{"fiscal year", fiscalYear},
	}
	for _, line := range lines {
		if line.unit == fiscalYear && f.zones.fiscal == time.January {
			continue
		}
		b = append(append(append(b, "\n- "...), line.name...), ':')
		for i, name := range []string{" last ", ", this ", ", next "} {
			from, to := f.zones.unitAt(dayOf(f.Now), line.unit, i-1)
			b = from.AppendFormat(append(b, name...), time.DateOnly)
			b = to.AppendFormat(append(b, " to "...), time.DateOnly)
		}
	}
	return string(b)
}

// unitAt returns the first day of the unit with today, or of the one that is offset
// units later, and the first day after it.
func (r resolved) unitAt(today time.Time, u unit, offset int) (from, to time.Time) {
	if u == week && offset < 0 && r.rolling {
		from = u.add(today, offset)
		return from, u.add(from, 1)
	}
	y, m := today.Year(), int(today.Month())
	switch u {
	case week:
		from = today.AddDate(0, 0, -(int(today.Weekday()-r.weekStart)+7)%7)
	case month:
		from = date(y, m, 1)
	case quarter:
		from = date(y, (m-1)/3*3+1, 1)
	case half:
		from = date(y, (m-1)/6*6+1, 1)
	case year:
		from = date(y, 1, 1)
	case fiscalYear:
		if from = date(y, int(r.fiscal), 1); from.After(today) {
			from = date(y-1, int(r.fiscal), 1)
		}
	default:
		from = today
	}
	from = u.add(from, offset)
	return from, u.add(from, 1)
}

func dateOnly(day time.Time) string {
	if day.IsZero() {
		return ""
	}
	return day.Format(time.DateOnly)
}

// dayOf returns the day of a moment, as midnight in UTC.
func dayOf(t time.Time) time.Time { return date(t.Year(), int(t.Month()), t.Day()) }
