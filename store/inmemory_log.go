package store

import (
	"iter"
	"slices"
	"sort"
)

// A log has the records of an [InMemory] thread in ascending order. Records are
// appended in place, and removed only from a copy of their chunk, so a reader
// needs the lock only to get a copy of the log.
type log struct {
	full [][]Record // chunks that get no more records; none is empty
	tail []Record   // the other records; it is empty only if the log is
}

const (
	firstChunk = 16 // a turn has about as many records
	chunk      = 1024
)

// append adds a record.
func (l *log) append(rec Record) {
	switch {
	case l.tail == nil:
		l.tail = make([]Record, 0, firstChunk)
	case len(l.tail) >= chunk:
		l.full = append(l.full, l.tail)
		l.tail = make([]Record, 0, chunk)
	}
	l.tail = append(l.tail, rec)
}

// last returns the number of the last record, or 0.
func (l *log) last() int64 {
	if len(l.tail) == 0 {
		return 0
	}
	return l.tail[len(l.tail)-1].Seq
}

// short reports whether the log is as fast to read as an index.
func (l *log) short() bool { return len(l.full) == 0 && len(l.tail) < indexed }

// chunks returns the number of chunks.
func (l *log) chunks() int { return len(l.full) + 1 }

// chunk returns a chunk by its position.
func (l *log) chunk(i int) []Record {
	if i == len(l.full) {
		return l.tail
	}
	return l.full[i]
}

// find returns the chunk and the position in it of the first record with at
// least a number. The position may be after the end of the last chunk.
func (l *log) find(seq int64) (c, i int) {
	c = sort.Search(len(l.full), func(c int) bool { return l.full[c][len(l.full[c])-1].Seq >= seq })
	recs := l.chunk(c)
	return c, sort.Search(len(recs), func(i int) bool { return recs[i].Seq >= seq })
}

// get returns the record with a number, which is in the log.
func (l *log) get(seq int64) *Record {
	c, i := l.find(seq)
	return &l.chunk(c)[i]
}

// between returns the records with the numbers of r, in the order of r.
func (l *log) between(r Range) iter.Seq[*Record] {
	to := r.To
	if to <= 0 || to > l.last() {
		to = l.last()
	}
	return func(yield func(*Record) bool) {
		first, _ := l.find(r.From)
		last, _ := l.find(to)
		for n := range last - first + 1 {
			c := first + n
			if r.NewestFirst {
				c = last - n
			}
			recs := l.chunk(c)
			for i := range recs {
				rec := &recs[i]
				if r.NewestFirst {
					rec = &recs[len(recs)-1-i]
				}
				if rec.Seq >= r.From && rec.Seq <= to && !yield(rec) {
					return
				}
			}
		}
	}
}

// remove removes the records with the numbers from low to high that match. The
// last record of the log is not among them.
func (l *log) remove(low, high int64, matches func(*Record) bool) {
	first, _ := l.find(low)
	var kept [][]Record
	for c := first; c < l.chunks(); c++ {
		recs := l.chunk(c)
		if recs[0].Seq <= high {
			recs = slices.DeleteFunc(slices.Clone(recs), func(rec Record) bool {
				return rec.Seq >= low && rec.Seq <= high && matches(&rec)
			})
		}
		if len(recs) > 0 {
			kept = append(kept, recs)
		}
	}
	l.full = slices.Concat(l.full[:first], kept[:len(kept)-1])
	l.tail = kept[len(kept)-1]
}
