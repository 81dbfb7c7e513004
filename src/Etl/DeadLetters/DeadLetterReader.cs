using Jackdaw.Documents;
using Jackdaw.Documents.Reading;

namespace Jackdaw.Etl.DeadLetters;

/// <summary>Goes over stored dead letters in the order of their writing, in read transactions that end soon however many there
/// are.</summary>
internal static class DeadLetterReader
{
    private static readonly TimeSpan s_atOnce = TimeSpan.FromMilliseconds(250);

    /// <summary>The collection's documents that match.</summary>
    /// <param name="database">Where they lie.</param>
    /// <param name="filter">Which.</param>
    /// <param name="afterEtag">Of a dead letter's document; 0: from the first on.</param>
    /// <param name="upToEtag">Later ones are left out: those written meanwhile.</param>
    /// <param name="take">Given each that matches; false: this one is not taken, and the page ends before it.</param>
    /// <returns>Where the next page begins, and whether there is one.</returns>
    public static (long AfterEtag, bool IsEnd) Read(
        Database database,
        DeadLetterFilter filter,
        long afterEtag,
        long upToEtag,
        Func<DocumentsReader, StoredDeadLetter, bool> take
    )
    {
        using var reader = database.OpenRead("ETL dead letters");
        if (filter.Id is { } id)
        {
            if (Find(reader, id) is { } one && filter.Matches(one) && one.LetterEtag > afterEtag && one.LetterEtag <= upToEtag)
                take(reader, one);
            return (upToEtag, true);
        }
        long began = TimeProvider.System.GetTimestamp();
        var cursor = reader.ByEtag(DeadLetter.Collection, afterEtag);
        while (cursor.MoveNext())
        {
            var document = cursor.Current;
            if (document.Etag > upToEtag)
                return (upToEtag, true);
            if (StoredDeadLetter.Read(document) is { } letter && filter.Matches(letter) && !take(reader, letter))
                return (afterEtag, false);
            afterEtag = document.Etag;
            if (TimeProvider.System.GetElapsedTime(began) > s_atOnce)
                return (afterEtag, false);
        }
        return (upToEtag, true);
    }

    /// <summary>Null when there is none of this id.</summary>
    public static StoredDeadLetter? Find(DocumentsReader reader, string id) =>
        reader.TryGet(id, out var document) && document.Collection.SequenceEqual("@dead-letters"u8)
            ? StoredDeadLetter.Read(document)
            : null;
}
