using Jackdaw.Storage.Disk;
using Jackdaw.Storage.Errors;

namespace Jackdaw.Storage.Journal;

/// <summary>Walks a journal from a position to its end. docs/storage-format.md, "Ends and damage".</summary>
internal sealed class JournalReader
{
    private readonly JournalFolder _folder;

    private readonly PlantedFault _planted;

    private readonly PlantedLazyFault _plantedLazy;

    public JournalReader(IDisk disk, JournalOptions options)
    {
        _folder = new JournalFolder(disk, options);
        _planted = options.Planted;
        _plantedLazy = options.PlantedLazy;
    }

    /// <summary>
    /// Hands every valid record after <paramref name="from"/> to the visitor, in order, and returns where the log ends.
    /// Throws <see cref="CorruptedDataException"/> for damage (unless <paramref name="acceptDataLoss"/>: then the end is the last
    /// good record, and
    /// <see cref="JournalEnd.Damage"/> says what is given up), <see cref="UnsupportedFormatException"/> for files of another journal
    /// or version, and for compressed records where the library for them is missing.
    /// </summary>
    public JournalEnd Read(JournalPosition from, IJournalVisitor visitor, bool acceptDataLoss = false)
    {
        var files = _folder.Scan(from.Sequence);
        var chain = JournalFileChain.Find(files, from, _folder);
        if (chain.Break is not null && !acceptDataLoss)
            throw chain.Break;
        using var records = new RecordReader(_planted);
        var walk = new JournalWalk(records, _folder, visitor, from, _plantedLazy);
        try
        {
            for (var i = 0; i < chain.Files.Count; i++)
                walk.File(chain.Files[i], i + 1 < chain.Files.Count ? chain.Files[i + 1] : null);
            if (chain.Break is not null)
                throw chain.Break;
            walk.RequireNoHiddenSuccessor(files);
            return walk.End(damage: null);
        }
        catch (CorruptedDataException damage) when (acceptDataLoss)
        {
            return walk.End(new JournalDamage(damage, walk.HighestTransactionBeyond(files)));
        }
    }
}
