using Jackdaw.Storage.Disk;
using Jackdaw.Storage.Errors;

namespace Jackdaw.Storage.Journal;

/// <summary>
/// A journal file being made, a piece at a time: its space allocated, then zeros written to it all (a file that was only
/// allocated is written a third
/// slower later), under a name that is no sequence.
/// </summary>
internal sealed unsafe class JournalFileBirth
{
    private readonly JournalFolder _folder;
    private readonly long _length;
    private readonly string _path;
    private IDiskFile? _file;
    private long _written;

    public JournalFileBirth(JournalFolder folder, long length)
    {
        Invariant.Require(length > 0 && length % RecordLayout.Alignment == 0);
        _folder = folder;
        _length = length;
        _path = folder.UnfinishedPath();
    }

    public bool IsFilled => _written == _length;

    /// <summary>Allocates, or writes the next megabyte of zeros.</summary>
    public void Step()
    {
        Invariant.Require(!IsFilled);
        if (_file is null)
        {
            _file = _folder.Open(_path, create: true);
            _file.Allocate(0, _length);
            return;
        }
        var piece = (int)Math.Min(ZeroPiece.Bytes, _length - _written);
        FullWrite.Write(_file, _written, ZeroPiece.Pointer, piece, RecordLayout.Alignment);
        _written += piece;
    }

    /// <summary>Names the filled file; durable on return.</summary>
    public JournalFile Finish(long sequence, int unit)
    {
        Invariant.Require(IsFilled);
        // The zeros are durable; the length that the allocation gave the file need not be.
        _file!.Sync();
        var named = _folder.Name(_path, sequence);
        _file.Dispose();
        _file = null;
        return new JournalFile(_folder.Open(named), sequence, unit);
    }

    /// <summary>Gives up, and gives its space back.</summary>
    public void Abandon()
    {
        _file?.Dispose();
        _file = null;
        try
        {
            _folder.DeleteIfPresent(_path);
        }
        catch (DiskException)
        {
            // The next opening of the journal deletes files of such names; the failure that led here is what its caller reports.
        }
    }
}
