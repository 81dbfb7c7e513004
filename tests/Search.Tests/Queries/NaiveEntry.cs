using Jackdaw.Search.Tests.Entries;

namespace Jackdaw.Search.Tests.Queries;

/// <summary>An entry as a plain evaluator sees it: terms by field, and the texts of each field as they were added.</summary>
internal sealed class NaiveEntry
{
    private readonly Dictionary<string, List<NaiveTerm>> _terms = [];
    private readonly Dictionary<string, List<string[]>> _texts = [];

    public NaiveEntry(ModelEntry entry)
    {
        foreach (var (field, value) in entry.Values)
        {
            if (!_terms.TryGetValue(field, out var list))
                _terms.Add(field, list = []);
            list.AddRange(NaiveTerm.Of(value, IndexModel.Fields[field].Analyzer));
            if (value is not ModelValue.Text text)
                continue;
            if (!_texts.TryGetValue(field, out var texts))
                _texts.Add(field, texts = []);
            texts.Add(WordsOf(text.Value));
        }
    }

    public bool Has(string field) => _terms.ContainsKey(field);

    public IReadOnlyList<NaiveTerm> Terms(string field) => _terms.GetValueOrDefault(field) ?? [];

    /// <summary>Has the phrase any word that an index keeps?</summary>
    public static bool HasWords(string phrase) => WordsOf(phrase).Any(word => !IsLeftOut(word));

    /// <summary>Looks for the words one behind the other in each value alone. A word that indexes leave out stands for any word inside the
    /// phrase, and for nothing at its ends.</summary>
    public bool HasPhrase(string field, string phrase)
    {
        string[] words = [.. WordsOf(phrase).SkipWhile(IsLeftOut).Reverse().SkipWhile(IsLeftOut).Reverse()];
        return _texts.GetValueOrDefault(field) is { } texts
            && texts.Exists(text => Enumerable.Range(0, text.Length).Any(start => StandsAt(text.AsSpan(start), words)));
    }

    private static bool StandsAt(ReadOnlySpan<string> text, string[] words)
    {
        for (int i = 0; i < words.Length; i++)
        {
            if (i >= text.Length || (!IsLeftOut(words[i]) && text[i] != words[i]))
                return false;
        }
        return true;
    }

    private static string[] WordsOf(string text) => text.ToLowerInvariant().Split(' ', StringSplitOptions.RemoveEmptyEntries);

    private static bool IsLeftOut(string word) => word is "the" or "and";
}
