using Jackdaw.Storage.Errors;

namespace Jackdaw.Storage.Journal;

/// <summary>
/// The files that a rotation can turn to, and how they come about: recycled, or made a megabyte at a time. What it shares is guarded by
/// <see cref="Gate"/>, which is never held over I/O: work is taken out, done, and its result put back.
/// </summary>
internal sealed class JournalSpares : IDisposable
{
    private readonly JournalFolder _folder;
    private readonly long _fileBytes;
    private readonly int _unit;
    private readonly int _keptSpares;
    private readonly int _sparesUnderLoad;
    private readonly List<JournalFile> _ready = [];
    private readonly Queue<RetiredFile> _handedOver = new();
    private readonly Queue<string> _unwanted = new();
    private JournalFileBirth? _birth;
    private long _highestSequence;
    private bool _hasRotated;
    private long _recycled;
    private long _failures;
    private string? _lastFailure;

    public JournalSpares(JournalFolder folder, JournalOptions options, int unit, long highestSequence)
    {
        _folder = folder;
        _fileBytes = options.FileBytes;
        _keptSpares = options.KeptSpares;
        _sparesUnderLoad = options.SparesUnderLoad;
        _unit = unit;
        _highestSequence = highestSequence;
    }

    public Lock Gate { get; } = new();

    /// <summary>Spares in the order in which they will be taken. Under <see cref="Gate"/>.</summary>
    public List<JournalFile> Ready => _ready;

    /// <summary>Bytes for records in an ordinary file.</summary>
    public long OrdinaryCapacity => _fileBytes - _unit;

    public (int Ready, long Recycled, long Failures, string? LastFailure) Statistics
    {
        get
        {
            lock (Gate)
                return (_ready.Count, _recycled, _failures, _lastFailure);
        }
    }

    /// <summary>A sequence above every one given so far.</summary>
    public long NextSequence()
    {
        lock (Gate)
            return ++_highestSequence;
    }

    public void Add(JournalFile file)
    {
        lock (Gate)
            _ready.Add(file);
    }

    public void HandOver(RetiredFile file)
    {
        lock (Gate)
            _handedOver.Enqueue(file);
    }

    /// <summary>A file that is to be deleted.</summary>
    public void Discard(string path)
    {
        lock (Gate)
            _unwanted.Enqueue(path);
    }

    /// <summary>One piece of work; true: there is more. See <see cref="JournalWriter.RunSpareStep"/>.</summary>
    public bool RunStep()
    {
        RetiredFile? retired = null;
        string? unwanted = null;
        JournalFileBirth? birth = null;
        lock (Gate)
        {
            if (!HasWork)
                return false;
            if (!_handedOver.TryDequeue(out retired) && !_unwanted.TryDequeue(out unwanted))
                birth = TakeBirth();
        }
        try
        {
            if (retired is not null)
                RecycleOrDelete(retired);
            else if (unwanted is not null)
                _folder.DeleteIfPresent(unwanted);
            else
                Continue(birth!);
        }
        catch (DiskException failure)
        {
            // Nothing depends on this file: it is given up, the failure shows in the statistics, and a later step makes another.
            birth?.Abandon();
            lock (Gate)
            {
                _failures++;
                _lastFailure = failure.Message;
            }
            return false;
        }
        lock (Gate)
            return HasWork;
    }

    /// <summary>Makes one more spare on the calling thread, going on with what has been begun. Throws <see cref="DiskException"/>.</summary>
    public void MakeOne()
    {
        RetiredFile? retired;
        JournalFileBirth? birth = null;
        lock (Gate)
        {
            if (!_handedOver.TryDequeue(out retired))
                birth = TakeBirth();
        }
        if (retired is not null)
            RecycleOrDelete(retired);
        else
            Add(MakeWhole(birth!));
    }

    /// <summary>Makes a file for one large record on the calling thread. Throws <see cref="DiskException"/>.</summary>
    public JournalFile MakeFor(long recordBytes)
    {
        var length = (recordBytes + _unit + RecordLayout.Alignment - 1) / RecordLayout.Alignment * RecordLayout.Alignment;
        return MakeWhole(new JournalFileBirth(_folder, length));
    }

    /// <summary>Takes out the next spare that holds so many bytes; null when there is none.</summary>
    public JournalFile? Take(long bytes)
    {
        lock (Gate)
        {
            var index = _ready.FindIndex(file => file.Capacity >= bytes);
            if (index < 0)
                return null;
            var file = _ready[index];
            _ready.RemoveAt(index);
            _hasRotated = true;
            return file;
        }
    }

    public void Dispose()
    {
        _birth?.Abandon();
        foreach (var file in _ready)
            file.Dispose();
        _ready.Clear();
    }

    /// <summary>One spare is always kept; more once files are really used up.</summary>
    private int Wanted => _hasRotated ? _sparesUnderLoad : 1;

    private bool HasWork => _handedOver.Count > 0 || _unwanted.Count > 0 || _ready.Count < Wanted || (_birth is not null && _ready.Count < _keptSpares);

    private JournalFileBirth TakeBirth()
    {
        var birth = _birth ?? new JournalFileBirth(_folder, _fileBytes);
        _birth = null;
        return birth;
    }

    private void Continue(JournalFileBirth birth)
    {
        if (birth.IsFilled)
        {
            Add(birth.Finish(NextSequence(), _unit));
            return;
        }
        birth.Step();
        lock (Gate)
        {
            // Another thread may have begun one meanwhile, being in a hurry; it finishes that itself.
            Invariant.Require(_birth is null);
            _birth = birth;
        }
    }

    private JournalFile MakeWhole(JournalFileBirth birth)
    {
        try
        {
            while (!birth.IsFilled)
                birth.Step();
            return birth.Finish(NextSequence(), _unit);
        }
        catch (DiskException)
        {
            birth.Abandon();
            throw;
        }
    }

    private void RecycleOrDelete(RetiredFile retired)
    {
        long sequence;
        lock (Gate)
            sequence = retired.Reusable && retired.Length == _fileBytes && _ready.Count < _keptSpares ? ++_highestSequence : 0;
        if (sequence == 0)
        {
            _folder.DeleteIfPresent(retired.Path);
            return;
        }
        var file = new JournalFile(_folder.Open(_folder.Name(retired.Path, sequence)), sequence, _unit);
        lock (Gate)
        {
            _ready.Add(file);
            _recycled++;
        }
    }
}
