package settings

// Search is the configuration of an Elasticsearch or OpenSearch cluster.
type Search struct {
	URL      string // ELASTICSEARCH_URL; empty: no cluster
	Username string // ELASTICSEARCH_USERNAME
	Password string // ELASTICSEARCH_PASSWORD
	APIKey   string // ELASTICSEARCH_API_KEY
}

func (r *reader) search() Search {
	return Search{
		URL:      r.get("ELASTICSEARCH_URL"),
		Username: r.get("ELASTICSEARCH_USERNAME"),
		Password: r.get("ELASTICSEARCH_PASSWORD"),
		APIKey:   r.get("ELASTICSEARCH_API_KEY"),
	}
}
