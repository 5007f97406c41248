package stats

import (
	"time"

	"github.com/qedkit/qed/internal/numeric"
)

// A Period is the length of one point of a [Series]. Days, weeks (from Monday),
// months, quarters and years are those of the calendar.
type Period string

const (
	Minute  Period = "minute"
	Hour    Period = "hour"
	Day     Period = "day"
	Week    Period = "week"
	Month   Period = "month"
	Quarter Period = "quarter"
	Year    Period = "year"
)

var periods = []Period{Minute, Hour, Day, Week, Month, Quarter, Year}

// seconds has the periods of constant length.
var seconds = map[Period]int64{Minute: 60, Hour: 60 * 60, Day: 24 * 60 * 60, Week: 7 * 24 * 60 * 60}

// months has the other periods, in months.
var months = map[Period]int{Month: 1, Quarter: 3, Year: 12}

// monday is the start of a week in seconds since 1970, which began on a Thursday.
const monday = -3 * 24 * 60 * 60

// number returns the number of the period that contains t.
func (p Period) number(t time.Time) int {
	if m := months[p]; m > 0 {
		return (t.Year()*12 + int(t.Month()) - 1) / m
	}
	s := t.Unix()
	if p == Week {
		s -= monday
	}
	n := s / seconds[p]
	if s%seconds[p] < 0 {
		n--
	}
	return int(n)
}

// start returns the start of the period with number n.
func (p Period) start(n int) time.Time {
	if m := months[p]; m > 0 {
		return time.Date(n*m/12, time.Month(n*m%12+1), 1, 0, 0, 0, 0, time.UTC)
	}
	s := int64(n) * seconds[p]
	if p == Week {
		s += monday
	}
	return time.Unix(s, 0).UTC()
}

// An Aggregate combines the values of a period into one. Package chart has the same
// aggregates.
type Aggregate string

const (
	Count  Aggregate = "count" // of rows, or of values
	Sum    Aggregate = "sum"
	Mean   Aggregate = "mean"
	Median Aggregate = "median"
	Min    Aggregate = "min"
	Max    Aggregate = "max"
)

var aggregates = []Aggregate{Count, Sum, Mean, Median, Min, Max}

// adds reports whether the value of a period without values is 0 and not unknown.
func (a Aggregate) adds() bool { return a == Count || a == Sum }

// needsWhole reports whether a part of a period has another value than all of it.
func (a Aggregate) needsWhole() bool { return a.adds() || a == Min || a == Max }

// of aggregates values. It may sort x.
func (a Aggregate) of(x []float64) float64 { return numeric.Aggregate(string(a), x) }
