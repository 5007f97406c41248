package stats

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/option"
	"github.com/qedkit/qed/refusal"
)

// SeriesOptions configure a series. Zero fields mean the defaults.
type SeriesOptions struct {
	// Period is the length of a point. Empty means the shortest period of which at
	// least three of five have data, from the first time to the last.
	Period Period

	// Aggregate combines the values of a period. Empty means Mean, or Count if
	// there is no column of values. Charts use Sum, because their parts make up a
	// whole; the trend of a sum mostly shows how many rows there are.
	Aggregate Aggregate
}

// A Series has one value for each period of time.
type Series struct {
	Time      string    `json:"time"`            // name of the column
	Value     string    `json:"value,omitempty"` // name of the column; empty if rows are counted
	Period    Period    `json:"period"`
	Aggregate Aggregate `json:"aggregate"`
	Rows      int       `json:"rows"`    // rows in the points
	Missing   int       `json:"missing"` // rows without a time or a value

	// Points are in time order. A period without values has no point. If values are
	// counted, or summed and the period has no rows, it has a point with value 0.
	Points []Point `json:"points"`

	// Blank is the number of periods between the points that have rows but no
	// value.
	Blank int `json:"blank,omitempty"`

	// CutFirst and CutLast report that the first or last period was left out,
	// because the data begin or end within that week, month, quarter or year and
	// its count, sum, minimum or maximum may be wrong. Days of the week that have
	// no data at all, such as weekends, do not make a period incomplete.
	CutFirst bool `json:"cut_first,omitempty"`
	CutLast  bool `json:"cut_last,omitempty"`

	// Unclear is why there are no points.
	Unclear string `json:"unclear,omitempty"`
}

// A Point is one period of a [Series].
type Point struct {
	Start time.Time `json:"start"` // wall clock time, written as UTC
	Rows  int       `json:"rows"`  // rows that the value is computed from
	Value float64   `json:"value"`
}

// maxPoints limits a series, because a trend compares all pairs of points.
const maxPoints = 1500

// choose makes the series of the period in the options, or of the one that fits
// the data.
func (d *dated) choose() (*Series, error) {
	p := d.opt.Period
	switch {
	case len(d.times) == 0:
		p = cmp.Or(p, Day)
	case p == "":
		p = d.period()
	case d.span(p) > maxPoints:
		return nil, refuse(refusal.Problem{
			Code: ErrTooLarge, Name: string(p),
			Message: fmt.Sprintf("the data cover %s %ss, and a series has at most %s points: use a longer period",
				grouped(d.span(p)), p, grouped(maxPoints)),
		})
	}
	return d.series(p), nil
}

// dated has values with their times, in time order.
type dated struct {
	opt     SeriesOptions // Period may be empty
	time    string
	value   string
	times   []time.Time // wall clock times
	values  []float64   // as long as times; nil if rows are counted
	blank   []time.Time // times of rows without a value
	missing int
}

func newDated(times, values *variable, opt *SeriesOptions) (*dated, error) {
	d := &dated{time: times.Name, opt: option.Of(opt)}
	var all []float64
	if values == nil {
		if d.opt.Aggregate != "" && d.opt.Aggregate != Count {
			return nil, refuse(refusal.Problem{
				Code: ErrMissingColumn, Message: fmt.Sprintf("the %s needs a column of numbers: name it as value", d.opt.Aggregate),
			})
		}
		d.opt.Aggregate = Count
	} else {
		d.opt.Aggregate = cmp.Or(d.opt.Aggregate, Mean)
		d.value, all = values.Name, values.ByRow()
	}
	type pair struct {
		at    time.Time
		value float64
	}
	var pairs []pair
	clock := times.WallTimes()
	for i, row := range times.At {
		p := pair{at: clock[i]}
		if all != nil {
			p.value = all[row]
		}
		if math.IsNaN(p.value) {
			d.blank = append(d.blank, p.at)
		} else {
			pairs = append(pairs, p)
		}
	}
	slices.SortStableFunc(pairs, func(a, b pair) int { return a.at.Compare(b.at) })
	for _, p := range pairs {
		d.times = append(d.times, p.at)
		if all != nil {
			d.values = append(d.values, p.value)
		}
	}
	d.missing = times.Rows - len(pairs)
	return d, nil
}

// span returns the number of periods from the first time to the last.
func (d *dated) span(p Period) int {
	return p.number(d.times[len(d.times)-1]) - p.number(d.times[0]) + 1
}

// filled returns the number of periods with a time.
func (d *dated) filled(p Period) int {
	n, last := 0, math.MinInt
	for _, t := range d.times {
		if at := p.number(t); at != last {
			n, last = n+1, at
		}
	}
	return n
}

// period chooses the shortest period that is filled well: office days fill five of
// seven. If there is none, it is the period that is filled best.
func (d *dated) period() Period {
	best, share := Day, 0.0
	if d.span(Day) > maxPoints {
		best = Year
	}
	for _, p := range periods {
		span := d.span(p)
		if span > maxPoints {
			continue
		}
		s := float64(d.filled(p)) / float64(span)
		if span > 1 && s >= 0.6 {
			return p
		}
		if span > 1 && s > share {
			best, share = p, s
		}
	}
	return best
}

// series makes the points of a period. The caller limits their number.
func (d *dated) series(p Period) *Series {
	s := &Series{
		Time: d.time, Value: d.value, Period: p, Aggregate: d.opt.Aggregate,
		Rows: len(d.times), Missing: d.missing, Points: []Point{},
	}
	if len(d.times) == 0 {
		s.Unclear = "no row has a time"
		if d.value != "" {
			s.Unclear += " and a value"
		}
		return s
	}
	blank := lists.Set(d.blank, p.number)
	next := p.number(d.times[0])
	for i := 0; i < len(d.times); {
		n, j := p.number(d.times[i]), i+1
		for j < len(d.times) && p.number(d.times[j]) == n {
			j++
		}
		for ; next < n; next++ {
			switch {
			case s.Aggregate != Count && blank[next]:
				s.Blank++
			case s.Aggregate.adds():
				s.Points = append(s.Points, Point{Start: p.start(next)})
			}
		}
		value := float64(j - i)
		if d.values != nil {
			value = s.Aggregate.of(slices.Clone(d.values[i:j]))
		}
		s.Points = append(s.Points, Point{Start: p.start(n), Rows: j - i, Value: value})
		i, next = j, n+1
	}
	d.cut(s)
	return s
}

// manyDays is the number of days from which a day of the week without data is not
// chance: the probability is below one in ten thousand.
const manyDays = 60

// neighbour returns the next day before or after t that could have data.
func (d *dated) neighbour(t time.Time, step int) time.Time {
	days, last := 0, math.MinInt
	var has [7]bool
	for _, at := range d.times {
		if n := Day.number(at); n != last {
			days, last = days+1, n
			has[at.Weekday()] = true
		}
	}
	t = t.AddDate(0, 0, step)
	for days >= manyDays && !has[t.Weekday()] {
		t = t.AddDate(0, 0, step)
	}
	return t
}

// cut removes a first and a last period that are incomplete.
func (d *dated) cut(s *Series) {
	if !s.Aggregate.needsWhole() || s.Period == Minute || s.Period == Hour || s.Period == Day {
		return
	}
	distinct := len(slices.CompactFunc(slices.Clone(d.times), time.Time.Equal))
	if distinct <= lists.Count(s.Points, func(p Point) bool { return p.Rows > 0 }) {
		return // one time per period: the values are of whole periods already
	}
	first, last := d.times[0], d.times[len(d.times)-1]
	s.CutFirst = s.Period.number(d.neighbour(first, -1)) == s.Period.number(first)
	s.CutLast = s.Period.number(d.neighbour(last, 1)) == s.Period.number(last)
	if s.CutFirst {
		s.Rows -= s.Points[0].Rows
		s.Points = s.Points[1:]
	}
	if s.CutLast && len(s.Points) > 0 {
		s.Rows -= s.Points[len(s.Points)-1].Rows
		s.Points = s.Points[:len(s.Points)-1]
	}
	if len(s.Points) == 0 {
		s.Unclear = fmt.Sprintf("no %s is certain to be complete", s.Period)
	}
}
