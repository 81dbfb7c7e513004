using Jackdaw.Scripting.Errors;
using Jackdaw.Scripting.Native;

namespace Jackdaw.Scripting;

/// <summary>One call of a function of the host: its arguments and its return value, which is undefined unless set. Valid until
/// the callback returns.</summary>
public unsafe ref struct ScriptInvocation
{
    private readonly nint _context;
    private readonly nint* _arguments;
    private readonly ScriptLimits _limits;

    internal ScriptInvocation(nint context, nint* arguments, int count, object? state, ScriptLimits limits)
    {
        _context = context;
        _arguments = arguments;
        _limits = limits;
        Count = count;
        State = state;
    }

    /// <summary>What <c>ScriptContext.TryCall</c> was given.</summary>
    public object? State { get; }

    /// <summary>Arguments given.</summary>
    public int Count { get; }

    internal nint Result { get; private set; }

    /// <summary>The argument was not given, or is undefined or null.</summary>
    public readonly bool IsNothing(int index) =>
        index >= Count
        || JavaScriptCore.JSValueGetType(_context, _arguments[index]) is JavaScriptCore.TypeUndefined or JavaScriptCore.TypeNull;

    /// <summary>The argument as text. Throws <see cref="ScriptCallbackException"/> when it is no string,
    /// <see cref="ScriptLimitException"/> when it is too long.</summary>
    public readonly string Text(int index)
    {
        var text = OpenText(index);
        try
        {
            return NativeText.Read(text);
        }
        finally
        {
            JavaScriptCore.JSStringRelease(text);
        }
    }

    /// <summary>The argument as text in UTF-8; errors as <see cref="Text"/>. Half surrogate pairs become U+FFFD (JSON texts have
    /// them escaped).</summary>
    public readonly byte[] Utf8(int index)
    {
        var text = OpenText(index);
        try
        {
            return NativeText.ReadUtf8(text);
        }
        finally
        {
            JavaScriptCore.JSStringRelease(text);
        }
    }

    /// <summary>Returns null.</summary>
    public void ReturnNull() => Result = JavaScriptCore.JSValueMakeNull(_context);

    /// <summary>Returns a number to the script.</summary>
    public void Return(double value) => Result = JavaScriptCore.JSValueMakeNumber(_context, value);

    /// <summary>Returns a boolean to the script.</summary>
    public void Return(bool value) => Result = JavaScriptCore.JSValueMakeBoolean(_context, value);

    /// <summary>Returns a text to the script.</summary>
    public void Return(string text)
    {
        var native = NativeText.Create(text);
        try
        {
            Result = JavaScriptCore.JSValueMakeString(_context, native);
        }
        finally
        {
            JavaScriptCore.JSStringRelease(native);
        }
    }

    /// <summary>Returns JSON as a text for <c>json.parse</c>, marking the numbers in it that a double cannot hold.</summary>
    public void ReturnJson(ReadOnlySpan<byte> utf8) => Result = Json.LossyNumbers.MakeValue(_context, utf8);

    private readonly nint OpenText(int index)
    {
        if (index >= Count || JavaScriptCore.JSValueGetType(_context, _arguments[index]) != JavaScriptCore.TypeString)
            throw new ScriptCallbackException($"Argument {index + 1} must be a string.");
        var text = JavaScriptCore.JSValueToStringCopy(_context, _arguments[index], out _);
        // Null when a text made of pieces could not be put together for want of memory.
        if (text == 0)
            throw new ScriptCallbackException($"Argument {index + 1} is too long.");
        if (NativeText.Length(text) <= _limits.MaxResultLength)
            return text;
        var length = NativeText.Length(text);
        JavaScriptCore.JSStringRelease(text);
        throw new ScriptLimitException(
            $"The script handed over a text of {length:N0} characters, over the limit of {_limits.MaxResultLength:N0}."
        );
    }
}
