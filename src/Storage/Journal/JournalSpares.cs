using Jackdaw.Storage.Errors;

namespace Jackdaw.Storage.Journal;

/// <summary>
/// The files that a rotation can turn to, and how they come about: recycled, or made a megabyte at a time. What it shares is guarded by
/// <see cref="Gate"/>, which is never held over I/O: work is taken out, done, and its result put back.
/// </summary>
internal sealed class JournalSpares : IDisposable
{
    private const int GrowthFactor = 4;

    private readonly JournalFolder _folder;
    private readonly long _largestFileBytes;
    private readonly int _unit;
    private readonly int _keptSpares;
    private readonly int _sparesUnderLoad;
    private readonly List<JournalFile> _ready = [];
    private readonly Queue<RetiredFile> _handedOver = new();
    private readonly Queue<string> _unwanted = new();
    private JournalFileBirth? _birth;
    private long _fileBytes;
    private long _highestSequence;
    private bool _hasRotated;
    private long _recycled;
    private long _failures;
    private string? _lastFailure;

    public JournalSpares(JournalFolder folder, JournalOptions options, int unit, long highestSequence)
    {
        _folder = folder;
        _largestFileBytes = options.FileBytes;
        _fileBytes = options.FirstFileBytes ?? options.FileBytes;
        _keptSpares = options.KeptSpares;
        _sparesUnderLoad = options.SparesUnderLoad;
        _unit = unit;
        _highestSequence = highestSequence;
    }

    public Lock Gate { get; } = new();

    /// <summary>Spares in the order in which they will be taken. Under <see cref="Gate"/>.</summary>
    public List<JournalFile> Ready => _ready;

    /// <summary>The length of files that are made now. They only grow.</summary>
    public long FileBytes
    {
        get
        {
            lock (Gate)
                return _fileBytes;
        }
    }

    /// <summary>Bytes for records in the longest ordinary file; a record of more gets one of its own.</summary>
    public long LargestCapacity => _largestFileBytes - _unit;

    public (int Ready, long Recycled, long Failures, string? LastFailure) Statistics
    {
        get
        {
            lock (Gate)
                return (_ready.Count, _recycled, _failures, _lastFailure);
        }
    }

    /// <summary><see cref="RunStep"/> has something to do, or to try again.</summary>
    public bool IsIncomplete
    {
        get
        {
            lock (Gate)
                return HasWork;
        }
    }

    /// <summary>A sequence above every one given so far.</summary>
    public long NextSequence()
    {
        lock (Gate)
            return ++_highestSequence;
    }

    /// <summary>Files made from now on are long enough for a record of so many bytes, as far as ordinary files can be.</summary>
    public void GrowFor(long bytes)
    {
        lock (Gate)
        {
            while (_fileBytes - _unit < bytes && _fileBytes < _largestFileBytes)
                Grow();
        }
    }

    /// <summary>The files of an earlier process had this length: its load is likely to be this one's.</summary>
    public void GoOnWith(long fileBytes)
    {
        lock (Gate)
            _fileBytes = Math.Clamp(fileBytes, _fileBytes, _largestFileBytes);
    }

    /// <summary>A file has been used up: the journal is written to, so files may be longer.</summary>
    public void NoteRotation()
    {
        lock (Gate)
        {
            _hasRotated = true;
            Grow();
        }
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

    /// <summary>Makes one more spare on the calling thread, going on with what has been begun. Throws
    /// <see cref="DiskException"/>.</summary>
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

    /// <summary>
    /// Takes out the next spare that holds so many bytes; null when there is none. Shorter ones before it are given up:
    /// reservations count on the order.
    /// </summary>
    public JournalFile? Take(long bytes)
    {
        List<JournalFile> passedOver;
        JournalFile taken;
        lock (Gate)
        {
            var index = _ready.FindIndex(file => file.Capacity >= bytes);
            if (index < 0)
                return null;
            passedOver = _ready[..index];
            taken = _ready[index];
            _ready.RemoveRange(0, index + 1);
            foreach (var file in passedOver)
                _unwanted.Enqueue(file.File.Path);
        }
        foreach (var file in passedOver)
            file.Dispose();
        return taken;
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

    private bool HasWork =>
        _handedOver.Count > 0 || _unwanted.Count > 0 || _ready.Count < Wanted || (_birth is not null && _ready.Count < _keptSpares);

    private void Grow() => _fileBytes = Math.Min(_fileBytes * GrowthFactor, _largestFileBytes);

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
