package profile

import (
	"hash/maphash"
	"math"
)

// hashOf returns the hash of a cell. A whole number has the same hash as int64 and as
// float64. The seed is random, so that no data can be made whose hashes are equal.
func hashOf(seed maphash.Seed, cell any) uint64 {
	if v, ok := cell.(float64); ok {
		if whole := int64(v); float64(whole) == v && math.Abs(v) < 1<<62 {
			cell = whole
		}
	}
	return maphash.Comparable(seed, cell)
}

// mix is the finalizer of splitmix64 (Steele, Lea and Flood, 2014).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// A sampler keeps a bounded number of different values, by their hashes. While
// they fit it has all of them. After that it has a random sample, in which each
// value is with probability 1/2^level, together with all its rows: adaptive
// sampling (Flajolet, 1990).
type sampler[V any] struct {
	max    int
	level  uint
	values map[uint64]V
}

func newSampler[V any](limit int) *sampler[V] {
	return &sampler[V]{max: limit, values: map[uint64]V{}}
}

func (s *sampler[V]) exact() bool { return s.level == 0 }

// samples reports whether the values of a hash belong to the sample.
func (s *sampler[V]) samples(hash uint64) bool { return hash>>(64-s.level) == 0 }

// add adds a value that samples accepts and that is not yet there.
func (s *sampler[V]) add(hash uint64, v V) {
	s.values[hash] = v
	for len(s.values) > s.max {
		s.level++
		for hash := range s.values {
			if !s.samples(hash) {
				delete(s.values, hash)
			}
		}
	}
}

// countRow counts a row by its hash.
func countRow(s *sampler[int], hash uint64) {
	if !s.samples(hash) {
		return
	}
	if n, ok := s.values[hash]; ok {
		s.values[hash] = n + 1
		return
	}
	s.add(hash, 1)
}
