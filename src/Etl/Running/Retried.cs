using Jackdaw.Documents.Reading;
using Jackdaw.Etl.DeadLetters;
using Jackdaw.Etl.Messages;
using Jackdaw.Etl.Sinks;

namespace Jackdaw.Etl.Running;

/// <summary>The dead letters that a batch sends again.</summary>
internal sealed class Retried(RetryRequest request, long afterEtag)
{
    private readonly List<(StoredDeadLetter Letter, int EndIndex, IReadOnlyList<string> Targets)> _letters = [];
    private readonly HashSet<int> _arePassed = [];

    public RetryRequest Request { get; } = request;

    /// <summary>Where the request stood before they were read.</summary>
    public long AfterEtag { get; } = afterEtag;

    public int Count => _letters.Count;

    /// <summary>The letter's messages are those from the former one's end up to <paramref name="endIndex"/> (exclusive); perhaps
    /// none.</summary>
    /// <param name="letter">The dead letter.</param>
    /// <param name="endIndex">In the batch.</param>
    /// <param name="targets">Of all messages that the change makes, not only of those that are sent again; empty when it is not
    /// known.</param>
    public void Add(StoredDeadLetter letter, int endIndex, IReadOnlyList<string> targets) => _letters.Add((letter, endIndex, targets));

    /// <summary>How often the message had been tried before.</summary>
    public int FormerAttempts(int messageIndex) => _letters.First(one => messageIndex < one.EndIndex).Letter.Attempts;

    /// <summary>Ids of the letters that a delivery of all that is not buried settles.</summary>
    public IReadOnlyList<string> Sent(Func<int, bool> isBuried) =>
        _letters.Where(one => one.Letter.Number == 0 || !isBuried(one.EndIndex - 1)).Select(one => one.Letter.Id).ToArray();

    /// <summary>Letters that are not <see cref="Pass">passed</see> and all of whose messages are settled, wherever they stand.</summary>
    public IReadOnlyList<int> Done(Delivery delivery) =>
        Enumerable.Range(0, _letters.Count).Where(i => !_arePassed.Contains(i) && IsDone(i, delivery)).ToArray();

    /// <summary>Of letters that are done: the ids of those that are no more. The others were written anew.</summary>
    public List<string> Settled(IEnumerable<int> done, Func<int, bool> isBuried) =>
        // That of a script goes in any case: what the sink refused of its messages has dead letters of its own.
        done.Where(i => _letters[i].Letter.Number == 0 || !isBuried(_letters[i].EndIndex - 1)).Select(i => _letters[i].Letter.Id).ToList();

    /// <summary>These are dealt with.</summary>
    public void Pass(IEnumerable<int> done) => _arePassed.UnionWith(done);

    /// <summary>Has anybody removed or replaced a letter that is still to be sent?</summary>
    public bool HasChanged(DocumentsReader reader, Delivery delivery) =>
        Enumerable
            .Range(0, _letters.Count)
            .Any(i =>
                !_arePassed.Contains(i)
                && !IsDone(i, delivery)
                && !(reader.TryGet(_letters[i].Letter.Id, out var now) && now.Etag == _letters[i].Letter.LetterEtag)
            );

    /// <summary>The documents that are to be deleted now that these letters are settled: no other message of their changes is
    /// dead.</summary>
    public IReadOnlyList<ChangeOrigin> Processed(
        IReadOnlyList<string> settledIds,
        Func<ChangeOrigin, int, string?> deadLetter,
        Func<string, bool> isWanted
    )
    {
        var settled = settledIds.ToHashSet(StringComparer.OrdinalIgnoreCase);
        return _letters
            .Where(one => settled.Contains(one.Letter.Id) && !one.Letter.Origin.IsDeletion && one.Targets.Any(isWanted))
            .Where(one =>
                !Enumerable
                    .Range(0, one.Targets.Count + 1)
                    .Any(number => deadLetter(one.Letter.Origin, number) is { } id && !settled.Contains(id))
            )
            .Select(one => one.Letter.Origin)
            .Distinct()
            .ToArray();
    }

    private bool IsDone(int letter, Delivery delivery)
    {
        int first = letter == 0 ? 0 : _letters[letter - 1].EndIndex;
        return Enumerable.Range(first, _letters[letter].EndIndex - first).All(delivery.IsSettledForGood);
    }
}
