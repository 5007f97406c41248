// Package lru implements the cache of qed: of limited size, with expiry.
package lru

import (
	"container/list"
	"sync"
	"time"
)

// A Cache keeps a limited number of values and drops the least recently used one
// when there are more. It is safe for concurrent use. Make one with [New].
type Cache[K comparable, V any] struct {
	size int
	ttl  time.Duration // 0: values do not expire

	mu      sync.Mutex
	entries map[K]*list.Element
	recent  *list.List // of entry[K, V], the most recently used first
}

type entry[K comparable, V any] struct {
	key   K
	value V
	until time.Time
}

// New returns a Cache of at most size values. A value expires ttl after it was
// added, however often it is read. A ttl of 0 means that values do not expire. A
// cache with a size below 1 keeps nothing.
func New[K comparable, V any](size int, ttl time.Duration) *Cache[K, V] {
	return &Cache[K, V]{size: size, ttl: ttl, entries: map[K]*list.Element{}, recent: list.New()}
}

// Get returns the value of key and reports whether there is one.
func (c *Cache[K, V]) Get(key K) (value V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	found, ok := c.entries[key]
	if !ok {
		return value, false
	}
	e := found.Value.(entry[K, V])
	if c.ttl > 0 && !time.Now().Before(e.until) {
		c.remove(found)
		return value, false
	}
	c.recent.MoveToFront(found)
	return e.value, true
}

// Add sets the value of key.
func (c *Cache[K, V]) Add(key K, value V) {
	if c.size < 1 {
		return
	}
	e := entry[K, V]{key: key, value: value}
	if c.ttl > 0 {
		e.until = time.Now().Add(c.ttl)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if found, ok := c.entries[key]; ok {
		found.Value = e
		c.recent.MoveToFront(found)
		return
	}
	c.entries[key] = c.recent.PushFront(e)
	if c.recent.Len() > c.size {
		c.remove(c.recent.Back())
	}
}

func (c *Cache[K, V]) remove(e *list.Element) {
	delete(c.entries, c.recent.Remove(e).(entry[K, V]).key)
}
