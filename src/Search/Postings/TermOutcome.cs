namespace Jackdaw.Search.Postings;

/// <summary>What became of a term whose postings were changed.</summary>
/// <param name="TermNumber">Its number; 0: it has none.</param>
/// <param name="DocumentFrequency">Its postings now; 0: the term is gone from the dictionary.</param>
/// <param name="Before">Its postings before; 0: the term is new, and has the number that was offered.</param>
internal readonly record struct TermOutcome(uint TermNumber, uint DocumentFrequency, uint Before);
