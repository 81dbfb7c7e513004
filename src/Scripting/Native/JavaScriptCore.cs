using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Jackdaw.Scripting.Native;

/// <summary>
/// The C API of JavaScriptCore, as much of it as is used. References (groups, contexts, values, strings) are opaque pointers,
/// zero for none.
/// <c>exception</c> receives the thrown value, zero when none was. Loaded by <see cref="JavaScriptCoreLibrary"/>.
/// </summary>
internal static unsafe partial class JavaScriptCore
{
    /// <summary>The name that <see cref="JavaScriptCoreLibrary"/> resolves.</summary>
    public const string Library = "javascriptcore";

    /// <summary><c>JSType</c>.</summary>
    public const int TypeUndefined = 0,
        TypeNull = 1,
        TypeString = 4;

    /// <summary>Size of <c>JSClassDefinition</c>: version and attributes (8 bytes), then fifteen pointers.</summary>
    public const int ClassDefinitionPointers = 16;

    /// <summary>Index, in pointers, of <c>callAsFunction</c> in <c>JSClassDefinition</c>: after the head, name, parent, values,
    /// functions, initialize, finalize, and six property callbacks.</summary>
    public const int ClassCallAsFunction = 12;

    [LibraryImport(Library)]
    public static partial nint JSContextGroupCreate();

    [LibraryImport(Library)]
    public static partial void JSContextGroupRelease(nint group);

    /// <summary>Seconds of processor time that one entry into the group may take. The callback says whether to end it.</summary>
    [LibraryImport(Library)]
    public static partial void JSContextGroupSetExecutionTimeLimit(
        nint group,
        double seconds,
        delegate* unmanaged[Cdecl]<nint, nint, byte> shouldTerminate,
        nint state
    );

    [LibraryImport(Library)]
    public static partial nint JSGlobalContextCreateInGroup(nint group, nint globalObjectClass);

    [LibraryImport(Library)]
    public static partial void JSGlobalContextRelease(nint context);

    [LibraryImport(Library)]
    public static partial void JSGlobalContextSetEvalEnabled(nint context, [MarshalAs(UnmanagedType.U1)] bool enabled, nint message);

    [LibraryImport(Library)]
    public static partial nint JSEvaluateScript(
        nint context,
        nint script,
        nint thisObject,
        nint sourceUrl,
        int startingLine,
        out nint exception
    );

    [LibraryImport(Library)]
    public static partial nint JSObjectMakeFunction(
        nint context,
        nint name,
        uint parameterCount,
        nint* parameters,
        nint body,
        nint sourceUrl,
        int startingLine,
        out nint exception
    );

    [LibraryImport(Library)]
    public static partial nint JSObjectCallAsFunction(
        nint context,
        nint function,
        nint thisObject,
        nuint count,
        nint* arguments,
        out nint exception
    );

    [LibraryImport(Library)]
    public static partial nint JSClassCreate(nint* definition);

    [LibraryImport(Library)]
    public static partial nint JSObjectMake(nint context, nint jsClass, nint privateData);

    [LibraryImport(Library)]
    [SuppressGCTransition]
    public static partial nint JSObjectGetPrivate(nint value);

    [LibraryImport(Library)]
    public static partial nint JSObjectMakeError(nint context, nuint count, nint* arguments, out nint exception);

    [LibraryImport(Library)]
    public static partial nint JSObjectGetProperty(nint context, nint value, nint name, out nint exception);

    [LibraryImport(Library)]
    public static partial void JSObjectSetProperty(nint context, nint value, nint name, nint property, uint attributes, out nint exception);

    [LibraryImport(Library)]
    public static partial void JSValueProtect(nint context, nint value);

    [LibraryImport(Library)]
    public static partial void JSValueUnprotect(nint context, nint value);

    [LibraryImport(Library)]
    public static partial int JSValueGetType(nint context, nint value);

    [LibraryImport(Library)]
    public static partial double JSValueToNumber(nint context, nint value, out nint exception);

    [LibraryImport(Library)]
    public static partial nint JSValueToStringCopy(nint context, nint value, out nint exception);

    [LibraryImport(Library)]
    public static partial nint JSValueMakeUndefined(nint context);

    [LibraryImport(Library)]
    public static partial nint JSValueMakeNull(nint context);

    [LibraryImport(Library)]
    public static partial nint JSValueMakeBoolean(nint context, [MarshalAs(UnmanagedType.U1)] bool value);

    [LibraryImport(Library)]
    public static partial nint JSValueMakeNumber(nint context, double value);

    [LibraryImport(Library)]
    public static partial nint JSValueMakeString(nint context, nint text);

    [LibraryImport(Library)]
    public static partial nint JSStringCreateWithCharacters(char* characters, nuint count);

    [LibraryImport(Library)]
    public static partial void JSStringRelease(nint text);

    [LibraryImport(Library)]
    public static partial nuint JSStringGetLength(nint text);

    [LibraryImport(Library)]
    public static partial char* JSStringGetCharactersPtr(nint text);

    /// <summary>An object with, among others, <c>heapCapacity</c> and <c>extraMemorySize</c> in bytes. Walks the heap: not for
    /// every call.</summary>
    [LibraryImport(Library)]
    public static partial nint JSGetMemoryUsageStatistics(nint context);

    /// <summary>A full collection, at once.</summary>
    [LibraryImport(Library)]
    public static partial void JSSynchronousGarbageCollectForDebugging(nint context);
}
