package references

func statutes(text string) []Reference    { return nil }
func urls(text string) []Reference        { return nil }
func germanCases(text string) []Reference { return nil }
func reports(text string) []Reference     { return nil }
func earlier(text string) []Reference     { return nil }
func parts(text string) []Reference       { return nil }
func documents(text string) []Reference   { return nil }
