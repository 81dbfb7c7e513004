using Jackdaw.Etl.DeadLetters;
using Jackdaw.Etl.Messages;

namespace Jackdaw.Etl.Running;

/// <summary>The dead letters that a batch sends again.</summary>
internal sealed class Retried(RetryRequest request)
{
    private readonly List<(StoredDeadLetter Letter, int EndIndex, IReadOnlyList<string> Targets)> _letters = [];
    private int _passed;

    public RetryRequest Request { get; } = request;

    public int Count => _letters.Count;

    /// <summary>The letter's messages are those from the former one's end up to <paramref name="endIndex"/> (exclusive); perhaps none.</summary>
    /// <param name="letter">The dead letter.</param>
    /// <param name="endIndex">In the batch.</param>
    /// <param name="targets">Of all messages that the change makes, not only of those that are sent again; empty when it is not known.</param>
    public void Add(StoredDeadLetter letter, int endIndex, IReadOnlyList<string> targets) => _letters.Add((letter, endIndex, targets));

    /// <summary>How often the message had been tried before.</summary>
    public int FormerAttempts(int messageIndex) => _letters.First(one => messageIndex < one.EndIndex).Letter.Attempts;

    /// <summary>Ids of the letters that a delivery of all that is not buried settles.</summary>
    public IReadOnlyList<string> Sent(Func<int, bool> isBuried) =>
        _letters.Where(one => one.Letter.Number == 0 || !isBuried(one.EndIndex - 1)).Select(one => one.Letter.Id).ToArray();

    /// <summary>The letters, from the first that is not <see cref="Pass">passed</see> on, whose messages are among the first <paramref name="settled"/> ones.</summary>
    /// <param name="settled">Messages at the beginning that are confirmed or buried.</param>
    /// <param name="isBuried">Has the message become a dead letter again?</param>
    /// <returns>Ids of the letters that are no more, and the number of those that were written anew.</returns>
    public (List<string> Settled, int Failed) Through(int settled, Func<int, bool> isBuried)
    {
        var ids = new List<string>();
        int failed = 0;
        for (int i = _passed; i < _letters.Count && _letters[i].EndIndex <= settled; i++)
        {
            var (letter, end, _) = _letters[i];
            // That of a script goes in any case: what the sink refused of its messages has dead letters of its own.
            if (letter.Number > 0 && isBuried(end - 1))
                failed++;
            else
                ids.Add(letter.Id);
        }
        return (ids, failed);
    }

    /// <summary>The documents that are to be deleted now that these letters are settled: no other message of their changes is dead.</summary>
    public IReadOnlyList<ChangeOrigin> Processed(IReadOnlyList<string> settledIds, Func<ChangeOrigin, int, string?> deadLetter, Func<string, bool> isWanted)
    {
        var settled = settledIds.ToHashSet(StringComparer.OrdinalIgnoreCase);
        return _letters
            .Where(one => settled.Contains(one.Letter.Id) && !one.Letter.Origin.IsDeletion && one.Targets.Any(isWanted))
            .Where(one => !Enumerable.Range(0, one.Targets.Count + 1).Any(number => deadLetter(one.Letter.Origin, number) is { } id && !settled.Contains(id)))
            .Select(one => one.Letter.Origin).Distinct().ToArray();
    }

    /// <summary>So many further ones are dealt with.</summary>
    public void Pass(int letters) => _passed += letters;
}
