package joinpath

import (
	"hash/maphash"
	"sync"
)

// cache keeps a bounded number of answers. It is split into shards, each with a
// lock of its own; within a shard, what was not asked for lately makes room (the
// clock algorithm). A nil cache keeps nothing.
type cache[K comparable, V any] struct {
	seed   maphash.Seed
	shards []shard[K, V]
}

type shard[K comparable, V any] struct {
	mu    sync.Mutex
	place map[K]int
	slots []slot[K, V]
	most  int
	hand  int
	_     [64]byte // keeps neighbours off this cache line
}

type slot[K comparable, V any] struct {
	key   K
	value V
	used  bool
}

const mostShards = 16

func newCache[K comparable, V any](size int) *cache[K, V] {
	n := min(mostShards, size)
	c := &cache[K, V]{seed: maphash.MakeSeed(), shards: make([]shard[K, V], n)}
	for i := range c.shards {
		c.shards[i].place = map[K]int{}
		c.shards[i].most = size / n
	}
	return c
}

func (c *cache[K, V]) shard(key K) *shard[K, V] {
	return &c.shards[maphash.Comparable(c.seed, key)%uint64(len(c.shards))]
}

func (c *cache[K, V]) get(key K) (value V, ok bool) {
	if c == nil {
		return value, false
	}
	s := c.shard(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	i, ok := s.place[key]
	if !ok {
		return value, false
	}
	s.slots[i].used = true
	return s.slots[i].value, true
}

func (c *cache[K, V]) put(key K, value V) {
	if c == nil {
		return
	}
	s := c.shard(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.place[key]; ok {
		return // another goroutine found the same answer
	}
	if len(s.slots) < s.most {
		s.place[key] = len(s.slots)
		s.slots = append(s.slots, slot[K, V]{key: key, value: value})
		return
	}
	for s.slots[s.hand].used {
		s.slots[s.hand].used = false
		s.hand = (s.hand + 1) % len(s.slots)
	}
	delete(s.place, s.slots[s.hand].key)
	s.slots[s.hand] = slot[K, V]{key: key, value: value}
	s.place[key] = s.hand
	s.hand = (s.hand + 1) % len(s.slots)
}
