// Package shapes remembers which statements a server has let pass, so that
// asking it again can wait.
package shapes

import (
	"container/list"
	"crypto/sha256"
	"sync"
	"time"
)

// Cache is a set of keys that forgets: the one that was used least recently when
// there are too many, and each a while after it was added, however often it is
// asked for. It keeps a digest of a key, not the key. It is safe for concurrent
// use; [New] makes one.
type Cache struct {
	size int
	ttl  time.Duration

	mu      sync.Mutex
	entries map[digest]*list.Element
	recent  *list.List // of *entry, the latest in front
}

type digest [sha256.Size]byte

type entry struct {
	key   digest
	until time.Time
}

// New returns a Cache of at most size keys, each of which is forgotten ttl after
// it was added. Both must be positive.
func New(size int, ttl time.Duration) *Cache {
	return &Cache{size: size, ttl: ttl, entries: map[digest]*list.Element{}, recent: list.New()}
}

// Has reports whether key was added and is not forgotten.
func (c *Cache) Has(key string) bool {
	sum := digest(sha256.Sum256([]byte(key)))
	c.mu.Lock()
	defer c.mu.Unlock()
	found, ok := c.entries[sum]
	if !ok {
		return false
	}
	if !time.Now().Before(found.Value.(*entry).until) {
		c.remove(found)
		return false
	}
	c.recent.MoveToFront(found)
	return true
}

// Add adds key, or begins its time anew.
func (c *Cache) Add(key string) {
	sum := digest(sha256.Sum256([]byte(key)))
	until := time.Now().Add(c.ttl)
	c.mu.Lock()
	defer c.mu.Unlock()
	if found, ok := c.entries[sum]; ok {
		found.Value.(*entry).until = until
		c.recent.MoveToFront(found)
		return
	}
	c.entries[sum] = c.recent.PushFront(&entry{sum, until})
	if c.recent.Len() > c.size {
		c.remove(c.recent.Back())
	}
}

func (c *Cache) remove(e *list.Element) {
	delete(c.entries, c.recent.Remove(e).(*entry).key)
}
