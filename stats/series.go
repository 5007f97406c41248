package stats

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/qedkit/qed"
)

// SeriesOptions say how rows become a series. Nil and zero fields mean the defaults.
type SeriesOptions struct {
	// Period is how long a point is. Empty means the shortest one of which the data fill
	// three of five, from their first time to their last.
	Period Period

	// Aggregate is how the values of a period become one. Empty means their Mean, or the
	// Count of the rows where there is no column of values. It is not the Sum, as in a chart,
	// where parts make up a whole: a trend of that is mostly one of how many rows there are.
	Aggregate Aggregate

	// Location is where the clock hangs that tells days and hours. Nil means the clock as it
	// is written, whatever its zone.
	Location *time.Location
}

func (o *SeriesOptions) check() error { return cmp.Or(o.Period.check(), o.Aggregate.check()) }

// A Series is one value for each period of time.
type Series struct {
	Time      string    `json:"time"`            // the column
	Value     string    `json:"value,omitempty"` // the column; empty: rows are counted
	Period    Period    `json:"period"`
	Aggregate Aggregate `json:"aggregate"`
	Rows      int       `json:"rows"`    // that are in the points
	Missing   int       `json:"missing"` // rows without a time or a value

	// Points are in the order of time. A period without values is left out, but has the
	// value 0 where values are counted, or where they are summed and it has no rows.
	Points []Point `json:"points"`

	// Blank is how many periods among the points are unknown, as they have rows, none of which
	// has a value.
	Blank int `json:"blank,omitempty"`

	// CutFirst and CutLast say that the first or the last period was left out: values are
	// counted or summed, or the least or greatest is taken, and the data begin or end within
	// that week, month, quarter or year, so that it may be wrong. Days of the week of which
	// there are no data at all, such as weekends, lack nowhere.
	CutFirst bool `json:"cut_first,omitempty"`
	CutLast  bool `json:"cut_last,omitempty"`

	// Unclear says why there are no points.
	Unclear string `json:"unclear,omitempty"`
}

// A Point is one period of a [Series].
type Point struct {
	Start time.Time `json:"start"` // on the clock of the wall, written as UTC
	Rows  int       `json:"rows"`  // how many the value is of
	Value float64   `json:"value"`
}

// maxPoints is how many points a series has at most: a trend compares each with each.
const maxPoints = 1500

// NewSeries makes a series of the column of times and the column of values; an empty value
// means that rows are counted. A column that t does not have, or that holds something else,
// is a [*ColumnError]. A period of which there would be more than 1,500 is an error as well.
func NewSeries(t *qed.Table, timeColumn, value string, opt *SeriesOptions) (*Series, error) {
	d, err := readDated(t, timeColumn, value, opt)
	if err != nil {
		return nil, err
	}
	return d.choose()
}

// choose makes the series of the period that the options name, or that suits the data.
func (d *dated) choose() (*Series, error) {
	p := d.opt.Period
	switch {
	case len(d.times) == 0:
		p = cmp.Or(p, Day)
	case p == "":
		p = d.period()
	case d.span(p) > maxPoints:
		return nil, fmt.Errorf("stats: the data cover %s %ss, and a series has %s points at most: take a longer period",
			grouped(d.span(p)), p, grouped(maxPoints))
	}
	return d.series(p), nil
}

// Dated are values with their times, in the order of time.
type dated struct {
	opt     SeriesOptions // Period may be empty
	time    string
	value   string
	times   []time.Time // on the wall
	values  []float64   // as long as times; nil where rows are counted
	blank   []time.Time // of rows without a value
	missing int
}

func readDated(t *qed.Table, timeColumn, value string, opt *SeriesOptions) (*dated, error) {
	times, err := timed(t, timeColumn)
	if err != nil {
		return nil, err
	}
	if value == "" {
		return newDated(times, nil, opt)
	}
	values, err := numeric(t, value)
	if err != nil {
		return nil, err
	}
	return newDated(times, values, opt)
}

func newDated(times, values *column, opt *SeriesOptions) (*dated, error) {
	d := &dated{time: times.name}
	if opt != nil {
		d.opt = *opt
	}
	if err := d.opt.check(); err != nil {
		return nil, err
	}
	var all []float64
	if values == nil {
		if d.opt.Aggregate != "" && d.opt.Aggregate != Count {
			return nil, fmt.Errorf("stats: a column of values is needed for their %s", d.opt.Aggregate)
		}
		d.opt.Aggregate = Count
	} else {
		d.opt.Aggregate = cmp.Or(d.opt.Aggregate, Mean)
		d.value, all = values.name, values.dense()
	}
	type pair struct {
		at    time.Time
		value float64
	}
	var pairs []pair
	for i, row := range times.at {
		p := pair{at: wall(times.times[i], d.opt.Location)}
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
	d.missing = times.rows - len(pairs)
	return d, nil
}

// span is how many periods lie between the first time and the last, both included.
func (d *dated) span(p Period) int {
	return p.number(d.times[len(d.times)-1]) - p.number(d.times[0]) + 1
}

// filled is how many periods have a time.
func (d *dated) filled(p Period) int {
	n, last := 0, math.MinInt
	for _, t := range d.times {
		if at := p.number(t); at != last {
			n, last = n+1, at
		}
	}
	return n
}

// period chooses the period that suits the data: office days fill five of seven. Where none
// is filled so well, it is the one that is filled best.
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

// series makes the points of a period, of which there must not be too many.
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
	blank := map[int]bool{}
	for _, t := range d.blank {
		blank[p.number(t)] = true
	}
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
		s.Points = append(s.Points, Point{p.start(n), j - i, value})
		i, next = j, n+1
	}
	d.cut(s)
	return s
}

// manyDays is from how many days on it is no chance that one day of the week has no data: it
// would be so once in ten thousand times.
const manyDays = 60

// beside returns the day before or after t that could have data.
func (d *dated) beside(t time.Time, step int) time.Time {
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

// cut leaves out a first and a last period that are not whole.
func (d *dated) cut(s *Series) {
	if !s.Aggregate.needsWhole() || s.Period == Minute || s.Period == Hour || s.Period == Day {
		return
	}
	distinct, total := 0, 0
	for i, t := range d.times {
		if i == 0 || !t.Equal(d.times[i-1]) {
			distinct++
		}
	}
	for _, p := range s.Points {
		if p.Rows > 0 {
			total++
		}
	}
	if distinct <= total {
		return // one time for each period: they are figures of whole ones already
	}
	first, last := d.times[0], d.times[len(d.times)-1]
	s.CutFirst = s.Period.number(d.beside(first, -1)) == s.Period.number(first)
	s.CutLast = s.Period.number(d.beside(last, 1)) == s.Period.number(last)
	if s.CutFirst {
		s.Rows -= s.Points[0].Rows
		s.Points = s.Points[1:]
	}
	if s.CutLast && len(s.Points) > 0 {
		s.Rows -= s.Points[len(s.Points)-1].Rows
		s.Points = s.Points[:len(s.Points)-1]
	}
	if len(s.Points) == 0 {
		s.Unclear = fmt.Sprintf("no %s is sure to be whole", s.Period)
	}
}
