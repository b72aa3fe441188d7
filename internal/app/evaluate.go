package app

// FlagAbove is the risk above which a tenant's answers are recommended for flagging.
func (c *Config) FlagAbove(tenant string) float64 {
	for _, flag := range [...]*float64{c.Tenants[tenant].Recommendation.Flag, c.Recommendation.Flag} {
		if flag != nil {
			return *flag
		}
	}
	return *DefaultConfig().Recommendation.Flag
}
