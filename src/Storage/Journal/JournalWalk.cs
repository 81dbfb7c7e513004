using Jackdaw.Storage.Disk;
using Jackdaw.Storage.Errors;

namespace Jackdaw.Storage.Journal;

/// <summary>One reading of a journal: where it is, and what it has handed over.</summary>
internal sealed class JournalWalk
{
    private readonly RecordReader _records;
    private readonly JournalFolder _folder;
    private readonly IJournalVisitor _visitor;
    private readonly JournalPosition _from;
    private readonly PlantedLazyFault _planted;

    /// <summary>Where each record lies of the group that is not complete yet: they are handed over together, or not at all.</summary>
    private readonly List<(JournalFileSummary File, JournalPosition Position)> _group = [];

    private JournalPosition _position;
    private long _count;
    private long _bytes;

    public JournalWalk(
        RecordReader records,
        JournalFolder folder,
        IJournalVisitor visitor,
        JournalPosition from,
        PlantedLazyFault planted = PlantedLazyFault.None
    )
    {
        _planted = planted;
        _records = records;
        _folder = folder;
        _visitor = visitor;
        _from = _position = from;
    }

    /// <summary>A group of records that is not complete never was: the log ends before its first record.</summary>
    public JournalEnd End(JournalDamage? damage) => new(_group.Count > 0 ? _group[0].Position : _position, _count, _bytes, damage);

    /// <summary>
    /// Reads one file: to where its successor says that it ended, or, without one, to its quiet end. Throws
    /// <see cref="CorruptedDataException"/>.
    /// </summary>
    public void File(JournalFileSummary summary, JournalFileSummary? successor)
    {
        Enter(summary);
        using var file = _folder.Open(summary.Path);
        _records.Turn(file, summary.Header);
        var end = successor?.Header.Previous.Offset;
        while (_position.Offset != end)
        {
            if (_position.Offset > end)
                throw Damage(
                    summary,
                    _position.Offset,
                    $"a record reaches past {end}, where '{_folder.Shown(successor!.Path)}' says that this file ended"
                );
            var finding = _records.Read(_position);
            if (finding == RecordFinding.Damaged)
                throw Damage(summary, _position.Offset, _records.What);
            if (finding == RecordFinding.NotWritten)
            {
                if (successor is not null)
                    throw Damage(
                        summary,
                        _position.Offset,
                        $"the log breaks off before {end}, where '{_folder.Shown(successor.Path)}' says that it ended"
                    );
                RequireQuietEnd(summary);
                return;
            }
            Visit(summary, file);
        }
    }

    /// <summary>A file whose header cannot be believed is a spare; unless it holds what would come next.</summary>
    public void RequireNoHiddenSuccessor(List<JournalFileSummary> files)
    {
        foreach (var bad in files.Where(file => file.State == JournalFileState.BadHeader && file.Sequence > _position.Sequence))
        {
            using var file = _folder.Open(bad.Path);
            if (_records.SeemsToContinue(file, _position))
                throw Damage(bad, 0, "the journal file's header does not match its checksum, and records follow it");
        }
        foreach (var spare in files.Where(file => file.State == JournalFileState.Spare && file.Sequence > _position.Sequence))
        {
            using var file = _folder.Open(spare.Path);
            if (_records.ContinuesWithoutHeader(file, spare.Header, _position))
                throw Damage(spare, 0, "the journal file's header is not its own, and the next record follows it");
        }
    }

    /// <summary>The highest transaction with blocks after the place where reading stopped; 0 when there is none.</summary>
    public long HighestTransactionBeyond(List<JournalFileSummary> files)
    {
        var highest = 0L;
        foreach (var summary in files.Where(file => file.State == JournalFileState.InUse && file.Sequence >= _position.Sequence))
        {
            using var file = _folder.Open(summary.Path);
            _records.Turn(file, summary.Header);
            var start = summary.Sequence == _position.Sequence ? _position.Offset : summary.Header.Unit;
            highest = Math.Max(highest, _records.HighestTransaction(start, _position.NextNumber));
        }
        return highest;
    }

    private void Enter(JournalFileSummary summary)
    {
        var header = summary.Header;
        if (summary.Sequence != _from.Sequence)
        {
            if (header.Previous.Chain != _position.Chain || header.FirstTransaction != _position.TransactionId + 1)
                throw Damage(
                    summary,
                    0,
                    $"the journal file does not continue the log, which ended at transaction {_position.TransactionId}"
                );
            _position = _position with { Sequence = summary.Sequence, Offset = header.Unit };
        }
        else if (_position.Offset < header.Unit || _position.Offset % header.Unit != 0)
        {
            throw Damage(summary, _position.Offset, "replay cannot begin there");
        }
    }

    private void Visit(JournalFileSummary summary, IDiskFile file)
    {
        var entries = _records.Entries(_position.Offset);
        entries.Check();
        var span = _records.Span;
        var next = new JournalPosition(
            summary.Sequence,
            _position.Offset + _records.Length,
            _records.Chain,
            span.Continues ? _position.TransactionId : span.Last,
            span.Continues ? span.Piece + 1 : 0
        );
        _bytes += _records.Length;
        var isAlone = span.Piece == 0 && !span.Continues;
        if (isAlone || _planted == PlantedLazyFault.ApplyPartOfGroup)
            _visitor.Record(_records.Header, entries);
        else
            _group.Add((summary, _position));
        if (!span.Continues)
        {
            HandOverGroup(summary, file);
            _count += span.Count;
        }
        _position = next;
        _records.Trim();
    }

    /// <summary>Reads the records of a group that is complete once more, this time for the visitor: a group may be far larger than
    /// memory.</summary>
    private void HandOverGroup(JournalFileSummary current, IDiskFile currentFile)
    {
        if (_group.Count == 0)
            return;
        foreach (var (summary, position) in _group)
        {
            using var file = _folder.Open(summary.Path);
            _records.Turn(file, summary.Header);
            if (_records.Read(position) != RecordFinding.Valid)
                throw Damage(summary, position.Offset, "a record that was sound a moment ago is not when it is read again");
            _visitor.Record(_records.Header, _records.Entries(position.Offset));
            _records.Trim();
        }
        _group.Clear();
        _records.Turn(currentFile, current.Header);
    }

    /// <summary>
    /// One record is in flight at a time: where a later one, or this one elsewhere, left blocks behind, what should be here had
    /// been finished.
    /// </summary>
    private void RequireQuietEnd(JournalFileSummary summary)
    {
        var header = summary.Header;
        if (summary.Length < header.Length)
            throw Damage(summary, summary.Length, $"the journal file was cut; it had {header.Length} bytes");
        var next = _position.NextNumber;
        var stray = _records.FindStrayBlock(_position.Offset, _records.Limit, next);
        if (stray < 0 && summary.Sequence == _from.Sequence)
            stray = _records.FindStrayBlock(header.Unit, _from.Offset, next);
        if (stray >= 0)
            throw Damage(
                summary,
                _position.Offset,
                $"transaction {_position.TransactionId + 1} should be here, "
                    + $"and the block at {stray} was written after it or is a misplaced part of it"
            );
    }

    private CorruptedDataException Damage(JournalFileSummary summary, long offset, string what) =>
        new(_folder.Shown(summary.Path), offset, what);
}
